import { REQUEST } from "../../../src/delivery/requests/request-card.ts";
import type { GivenRequest } from "../../../src/delivery/requests/request.ts";
import type { SentRequest } from "../../../src/delivery/outgoing.ts";
import type { TargetView } from "../../../src/delivery/target.ts";
import { known, printableLines, shown } from "../../output/text.ts";
import { givenIn } from "../../session/card.ts";
import type { Input } from "../../session/input.ts";
import { sourceOf } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";

/** The help of the options of a request. */
export const REQUEST_HELP = `
A header is stored and never shown again. Other users of the machine can see the arguments of a command: to avoid this,
write 'Authorization: @FILE', 'Authorization: -' for standard input, or 'Authorization:' for a prompt.

The body is a Mustache template that yields JSON: "{{data.email}}" is the text of a field, and {{{data.count}}} any value
as JSON, or null. The other names are those of the event: id, form, project, createdAt, files, type. All who may read the
target can read its body: a secret belongs into a header.`;

/**
 * The request that the options give, with the values of its headers. `keeps` says whether the target may have values that a
 * name alone keeps; any other header without a value is prompted for. Throws `invalid`.
 */
export async function requestIn(
  input: Input,
  target: string | undefined,
  keeps = false,
): Promise<GivenRequest> {
  const lines = (input.options["header"] ?? []) as string[];
  const headers = lines.length === 1 && lines[0]!.trim() === "none" ? [] : lines.map(split);
  const sources = [target, input.options["body"], ...headers.map(({ value }) => value)];
  if (sources.filter((each) => each === "-").length > 1)
    throw usage("standard input can be read once", "read the others from files: @FILE");
  const { headers: _, ...given } = await givenIn(REQUEST, input);
  if (lines.length === 0) return given;
  const read: string[] = [];
  for (const { name, value } of headers) {
    // A name with a space has a value in it, whose colon was forgotten: it is refused, and not shown.
    const isWhole = value === undefined && (keeps || /\s/.test(name));
    read.push(isWhole ? name : `${name}: ${await valueOf(name, value ?? "", input)}`);
  }
  return { ...given, headers: read };
}

function split(line: string): { name: string; value: string | undefined } {
  const colon = line.indexOf(":");
  if (colon === -1) return { name: line.trim(), value: undefined };
  return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
}

async function valueOf(name: string, value: string, input: Input): Promise<string> {
  const hint = `--header '${name}: @FILE' reads it from a file, and '${name}: -' from standard input`;
  const text = await (value === ""
    ? input.secret(`the value of the header ${name}`, hint)
    : sourceOf(value, "--header", input));
  // The end of the line of a file, or of what was piped, is no part of a value.
  return text.replace(/\r?\n$/, "");
}

/** The parts of a request that a POST of the event lacks. */
export function requestLines({ method, headers, body }: TargetView): [string, string][] {
  return known([
    ["method", method === "POST" ? null : method],
    ["headers", headers.length === 0 ? null : headers.join(", ")],
    ["body", body],
  ]);
}

/** A request as HTTP writes it. */
export function requestText({ method, url, headers, body }: SentRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => shown`${name}: ${value}`);
  return [shown`${method} ${url}`, ...lines, "", printableLines(body), "", ""].join("\n");
}
