import { formatBytes, utf8Text } from "../../base/bytes.ts";
import { SUBMISSION_ID } from "../../base/ids.ts";
import { AppError } from "../../base/errors.ts";
import { readAll } from "../body.ts";
import type { DashboardContext } from "./dashboard-env.ts";
import { MAX_ADMIN_BODY } from "../../operations/limits.ts";

/** Fields that a form of the dashboard sent. */
export type Fields = Awaited<ReturnType<Response["formData"]>>;

/**
 * Reads the form in a request. Throws `too_large`, and `invalid` for a body that cannot be read as its type says or that is
 * not UTF-8.
 */
export async function readFields(request: Request, limit: number = MAX_ADMIN_BODY): Promise<Fields> {
  const tooLarge = () => new AppError("too_large", `a form has at most ${formatBytes(limit)}`);
  const body = await readAll(request, limit, tooLarge);
  const type = request.headers.get("content-type")!;
  const fields = await parse(body, type);
  if (wordsIn(fields).some((each) => each.includes("\uFFFD"))) await requireUtf8(body, type);
  return fields;
}

async function parse(body: string | Uint8Array, type: string): Promise<Fields> {
  try {
    return await new Response(body, { headers: { "Content-Type": type } }).formData();
  } catch (error) {
    throw new AppError("invalid", "the form cannot be read", { cause: error });
  }
}

/** The names in a form, its texts, and the names of its files. */
function wordsIn(fields: Fields): string[] {
  return [...fields].flatMap(([name, value]) => [name, typeof value === "string" ? value : value.name]);
}

/** Throws `invalid` for a form whose words are not UTF-8: what cannot be read of them was parsed as U+FFFD. */
async function requireUtf8(body: Uint8Array, type: string): Promise<void> {
  // With a character for each byte, the words come back as they were sent.
  const bytes = Buffer.from(body).toString("latin1");
  const words = /^multipart\//i.test(type)
    ? wordsIn(await parse(bytes, type))
    : [
        bytes.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        ),
      ];
  for (const word of words) utf8Text(Buffer.from(word, "latin1"), "the form");
}

/** The text that a list is searched for, up to 200 characters. */
export function searchIn(c: DashboardContext): string {
  return (c.req.query("q") ?? "").trim().slice(0, 200);
}

/** The id before which a page of a list begins; null for the first page. Throws `invalid`. */
export function beforeIn(c: DashboardContext, noun: string): string | null {
  const before = c.req.query("before") || null;
  if (before !== null && !SUBMISSION_ID.test(before))
    throw new AppError("invalid", `before is the id of a ${noun}`);
  return before;
}

/** The text of a field with line feeds as line ends; empty if it was not sent. */
export function textOf(fields: Fields, name: string): string {
  const value = fields.get(name);
  return typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";
}

/** Whether a field of one line gives a text back as it is: browsers take out line ends, and replace what UTF-8 has not. */
export function fitsInLine(text: string): boolean {
  return !/[\r\n\0]/.test(text) && text.isWellFormed();
}

/** The text of a field; null if it is empty or was not sent. */
export function textOrNull(fields: Fields, name: string): string | null {
  const text = textOf(fields, name).trim();
  return text === "" ? null : text;
}

/** The texts of every field of that name. */
export function textsOf(fields: Fields, name: string): string[] {
  return fields.getAll(name).filter((value) => typeof value === "string");
}

/** The revision that a page was made from; null if it names none. Throws `invalid`. */
export function revisionIn(fields: Fields): number | null {
  const text = textOf(fields, "revision");
  if (text === "") return null;
  if (!/^\d{1,15}$/.test(text))
    throw new AppError("invalid", "the form names no revision: load the page again");
  return Number(text);
}

/** The number of the row in the value of a button such as `up-2`; 0 for one of no row. */
export function rowOf(act: string): number {
  return Number(/-(\d{1,6})$/.exec(act)?.[1] ?? 0);
}

/** The act of a form, by the value of the button that sent it. Throws `invalid` for a value that names nothing. */
export function chosenOf<T>(acts: Readonly<Record<string, T>>, fields: Fields, name = "do"): T {
  const value = textOf(fields, name);
  if (!Object.hasOwn(acts, value))
    throw new AppError("invalid", "the form names no action: load the page again");
  return acts[value]!;
}
