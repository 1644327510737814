import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { readAll } from "../body.ts";
import type { DashboardContext } from "./dashboard-env.ts";
import { MAX_ADMIN_BODY } from "../../operations/limits.ts";

/** Fields that a form of the dashboard sent. */
export type Fields = Awaited<ReturnType<Response["formData"]>>;

/** Reads the form in a request. Throws `too_large`, and `invalid` for a body that cannot be read as its type says. */
export async function readFields(request: Request, limit: number = MAX_ADMIN_BODY): Promise<Fields> {
  const tooLarge = () => new AppError("too_large", `a form has at most ${formatBytes(limit)}`);
  const body = await readAll(request, limit, tooLarge);
  const type = request.headers.get("content-type")!;
  try {
    return await new Response(body, { headers: { "Content-Type": type } }).formData();
  } catch (error) {
    throw new AppError("invalid", "the form cannot be read", { cause: error });
  }
}

/** The text that a list is searched for, up to 200 characters. */
export function searchIn(c: DashboardContext): string {
  return (c.req.query("q") ?? "").trim().slice(0, 200);
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

/** The option of that name. Throws `invalid`: `a role is one of …`. */
export function oneOf<T extends string>(noun: string, options: readonly T[], text: string): T {
  const found = options.find((each) => each === text);
  if (found === undefined) throw new AppError("invalid", `${noun} is one of ${options.join(", ")}`);
  return found;
}

/** The number of the row in the value of a button such as `up-2`; 0 for one of no row. */
export function rowOf(act: string): number {
  return Number(/-(\d{1,6})$/.exec(act)?.[1] ?? 0);
}
