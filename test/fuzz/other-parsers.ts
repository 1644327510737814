import { expect } from "bun:test";
import { grouped, urlencodedPairs } from "../support/records/fields.ts";
import type { Outcome } from "./inputs.ts";
import type { Parsed } from "./inputs.ts";

/** Expects what other parsers make of the same bytes. */
export async function expectAsOthersRead(
  { headers, body }: Parsed,
  { text, stored }: Outcome,
): Promise<void> {
  const contentType = headers.get("content-type") ?? "";
  // Other parsers read UTF-8 only.
  if (/charset/i.test(contentType) || /charset/i.test(body.toString("latin1"))) return;
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  if (type === "application/json" && (stored || text.includes("valid JSON"))) {
    // Numbers are kept as they were written.
    expect(JSON.parse(JSON.stringify(stored?.data ?? null))).toEqual(jsonOf(body) ?? null);
  } else if (type === "application/x-www-form-urlencoded" && stored) {
    // JSON is read under this type too.
    if (jsonOf(body) === undefined) {
      expect(JSON.stringify(stored.data)).toBe(grouped(urlencodedPairs(body)));
    }
  } else if (stored && isPlain(contentType, body)) {
    const init = { headers: { "Content-Type": contentType } };
    const entries = [...(await new Response(Uint8Array.from(body), init).formData())];
    const fields: [string, string][] = [];
    const sizes: number[] = [];
    for (const [name, value] of entries) {
      if (typeof value === "string") fields.push([name, value]);
      else if (value.name || value.size > 0) sizes.push(value.size);
    }
    expect(JSON.stringify(stored.data)).toBe(grouped(fields));
    expect(stored.files.map(({ size }) => size)).toEqual(sizes);
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const PLAIN_PART =
  /^\r\nContent-Disposition: form-data; name="\w+"(?:; filename="[\w.]*")?\r\n(?:Content-Type: \w+\/\w+\r\n)?\r\n/;

/** Whether the runtime's own reader, which knows less of what clients send, finds the same in a multipart body. */
function isPlain(contentType: string, body: Buffer): boolean {
  const text = body.toString("latin1");
  const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(contentType)?.[1];
  if (boundary === undefined || !text.startsWith(`--${boundary}\r\n`) || /[^ -~\r\n]/.test(text))
    return false;
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return parts.every((part) => part.endsWith("\r\n") && PLAIN_PART.test(part));
}
