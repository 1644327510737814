import type { AppError } from "../../../base/errors.ts";
import { lineOfPointer } from "../json-text.ts";
import type { Faults, Typed } from "./draft.ts";

/** What the product refused of a flag, at the field that it is about; null where it is about the whole. */
export function refusalsOf({ message, hint }: AppError, { draft, rows }: Typed): Faults | null {
  const [, field, path = "", what] =
    /^\/(variants|targeting|defaultVariant)(\/\S*)?: (.*)$/s.exec(message) ?? [];
  if (field === undefined)
    return message.startsWith("the default variant ")
      ? { defaultVariant: hint === null ? message : `${message}: ${hint}` }
      : null;
  const name = field as "variants" | "targeting" | "defaultVariant";
  return { [name]: `${placeOf(path, name === "targeting" ? rows : null, draft[name])}${what}` };
}

/** Where in a rule a JSON pointer leads: a row is a condition and its variant in the list of `if`. */
function placeOf(pointer: string, rows: Typed["rows"], text: string): string {
  const branch = /^\/if\/(\d+)/.exec(pointer)?.[1];
  if (rows !== null) return branch === undefined ? "" : `row ${Math.floor(Number(branch) / 2) + 1}: `;
  const line = pointer === "" || text.trim() === "" ? null : lineOfPointer(text, pointer);
  return line === null ? "" : `line ${line}: `;
}
