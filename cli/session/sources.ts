import { own } from "../../src/base/shapes/own.ts";
import { isObject } from "../../src/base/json.ts";
import { AppError, systemCode } from "../../src/base/errors.ts";
import type { Io } from "../output/terminal.ts";
import { shorten } from "../output/text.ts";
import { readWhole } from "./read-whole.ts";
import { usage } from "./usage.ts";

type Stdin = Pick<Io, "readStdin">;

type Numbers = { rounded: boolean };

/** JSON given as text, as `@FILE`, or as `-` for standard input. Throws `invalid`, as `parseJson` does. */
export async function jsonValue(text: string, option: string, io: Stdin): Promise<unknown> {
  const source = await sourceOf(text, option, io);
  if (source.trim() === "")
    throw usage(`${option} is empty`, `write JSON, such as ${option} '"text"' or ${option} '{"a":1}'`);
  const { parseJson } = await import("./json.ts");
  try {
    return parseJson(source, option);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const hint = FILE_NAME.test(source.trim())
      ? `write ${option} @${source.trim()} to read that file`
      : /^[\w.-]+=/.test(source)
        ? `write JSON, as in ${option} '${JSON.stringify(pairIn(source))}'; @FILE reads a file`
        : /^[\s]*[{[]/.test(source)
          ? `names and texts need double quotes, as in ${option} '{"color":"green"}'; @FILE reads a file`
          : `a text needs quotes, as in ${option} '${JSON.stringify(shorten(source.trim(), 40))}'; @FILE reads a file`;
    throw usage(`${option} is not valid JSON: ${error.message}`, hint);
  }
}

/** A name of a file of JSON in place of its text. */
const FILE_NAME = /^[\w./~-]{1,200}\.(?:json|ya?ml|jsonc|txt)$/i;

/** `color=green` as an object. */
function pairIn(source: string): Record<string, string> {
  const [name = "", ...value] = shorten(source.trim(), 40).split("=");
  return { [name]: value.join("=") };
}

/** The same for an option that takes an object alone. Throws `invalid` with the `example`. */
export async function jsonObject(
  text: string,
  option: string,
  example: string,
  io: Stdin,
  numbers?: Numbers,
): Promise<Record<string, unknown>> {
  const source = await sourceOf(text, option, io);
  const hint = FILE_NAME.test(text)
    ? `write ${option} @${text} to read that file`
    : `write ${option} '${example}'; @FILE reads a file`;
  const { parseJson } = await import("./json.ts");
  try {
    const value = parseJson(source, option, numbers);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A text that begins with a brace is meant as JSON.
    if (source.trimStart().startsWith("{"))
      throw usage(`${option} is not valid JSON: ${error.message}`, hint);
  }
  throw usage(`${option} takes a JSON object, not ${shorten(text, 40)}`, hint);
}

/** A text, the content of `@FILE`, or standard input for `-`. Throws `invalid`. */
export async function sourceOf(text: string, option: string, io: Stdin): Promise<string> {
  if (text === "-") return io.readStdin();
  if (text === "@")
    throw usage(`${option} @ names no file`, `write ${option} @FILE, or - for standard input`);
  return text.startsWith("@") ? readText(text.slice(1), option) : text;
}

/** Hints for a file that cannot be read, by the code of the error. */
export const UNREADABLE: Record<string, string> = {
  ENOENT: "there is no such file: check its name and folder",
  EISDIR: "it is a folder: name a file",
  EACCES: "it may not be read by this user",
};

/** The text of a file. Throws `invalid` with the name of the `option` if the file cannot be read, or is too large. */
export async function readText(file: string, option: string): Promise<string> {
  try {
    return await readWhole(file);
  } catch (error) {
    if (error instanceof AppError) throw usage(`${option}: ${error.message}`, error.hint ?? undefined);
    const code = systemCode(error) || String(error);
    throw usage(`${option}: the file ${file} cannot be read (${code})`, own(UNREADABLE, code));
  }
}
