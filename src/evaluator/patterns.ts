import type { Pattern } from "./code.ts";

/** A pattern in the syntax of RE2 as an expression of the engine. Throws for one that the engine cannot read. */
export function patternOf(text: string): Pattern {
  const [, flags = "", rest = text] = /^\(\?([ims]+)\)([^]*)$/.exec(text) ?? [];
  const expression = new RegExp(rest, `${flags}u`);
  return { size: 0, occursIn: (each) => expression.test(each) };
}
