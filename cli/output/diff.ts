import { isObject } from "../../src/base/json.ts";
import type { Color, Paint } from "./color.ts";
import { printable } from "./text.ts";

/** Two states of one thing, under a head; undefined for a state that is not shown. */
export type Diff = { head: string; color: Color; before?: unknown; after?: unknown };

/** How the states of a diff are printed. */
export type Notation = {
  /** What every line of a state begins with. */
  indent: string;
  /** The lines of a state, or of one `field` of it; none for what is not set. */
  linesOf(value: unknown, field?: string): string[];
  /** Whether two values of a field count as equal. */
  isSame(before: unknown, after: unknown, field: string): boolean;
};

/** The head, then the differences as lines with `-` and `+`: by field, or whole states if either is not an object. */
export function printDiff({ head, color, before, after }: Diff, notation: Notation, paint: Paint): string {
  const removed = (lines: string[]) => lines.map((line) => paint(`${notation.indent}- ${line}`, "red"));
  const added = (lines: string[]) => lines.map((line) => paint(`${notation.indent}+ ${line}`, "green"));
  const lines = [paint(head, color)];
  if (isObject(before) && isObject(after)) {
    for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [before[field], after[field]];
      if (notation.isSame(old, now, field)) continue;
      lines.push(...removed(notation.linesOf(old, field)), ...added(notation.linesOf(now, field)));
    }
  } else lines.push(...removed(notation.linesOf(before)), ...added(notation.linesOf(after)));
  return lines.map((line) => `${line}\n`).join("");
}

/** A field a line, its value as JSON. */
export const JSON_NOTATION: Notation = {
  indent: "",
  linesOf: jsonLines,
  isSame: (before, after, field) => jsonLines(before, field)[0] === jsonLines(after, field)[0],
};

/** No line for a field that is not set; null is a valid payload. */
function jsonLines(value: unknown, field = ""): string[] {
  const isUnset = value === undefined || value === "" || (value === null && field !== "payload");
  return isUnset ? [] : [printable(`${field}: ${JSON.stringify(value)}`)];
}
