import { differencesInWords, valueInWords } from "../../src/flags/rules/difference-words.ts";
import { type IsSame, isUnset } from "../../src/projects/differences.ts";
import type { Color, Paint } from "./color.ts";
import { printable } from "./text.ts";

/** Two states of one thing, under a head; undefined for a state that is not shown. */
export type Diff = { head: string; color: Color; before?: unknown; after?: unknown };

/** How the states of a diff are printed. */
export type Notation = {
  /** Prefix of every line of a state. */
  indent: string;
  /** The lines of a state, or of one `field` of it; none for what is not set. */
  linesOf(value: unknown, field?: string): string[];
  /** Left out if fields are compared as the history records them. */
  isSame?: IsSame;
};

/** The head, then the differences as lines with `-` and `+`: by field, or whole states if either is not an object, with rules in words. */
export function printDiff({ head, color, before, after }: Diff, notation: Notation, paint: Paint): string {
  const removed = (lines: string[]) => lines.map((line) => paint(`${notation.indent}- ${line}`, "red"));
  const added = (lines: string[]) => lines.map((line) => paint(`${notation.indent}+ ${line}`, "green"));
  const lines = [paint(head, color)];
  for (const { field, words, ...states } of differencesInWords(before, after, notation.isSame)) {
    const linesOf = (side: "before" | "after") =>
      words?.[side] == null
        ? notation.linesOf(valueInWords(field, states[side]), field ?? undefined)
        : [printable(`${field}: ${words[side]}`)];
    lines.push(...removed(linesOf("before")), ...added(linesOf("after")));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** A field a line, its value as JSON; no line for a field that is not set. */
export const JSON_NOTATION: Notation = {
  indent: "",
  linesOf: (value, field = "") =>
    isUnset(value, field) ? [] : [printable(`${field}: ${JSON.stringify(value)}`)],
};
