import type { Pattern } from "./conditions.ts";

/** Signs that RE2 and the engine read in different ways. */
const SIGNS = /\\([^])|\(\?P<|\(\?[-imsU]{1,6}[:)]|\[\^?|[\].^$]/g;

const SPACE = "\\t\\n\\f\\r ";

/**
 * A pattern in the syntax of RE2 as an expression of the engine, for processes without RE2. Throws for one that the engine would
 * read in another way.
 */
export function patternOf(text: string): Pattern {
  const [, flags = "", rest = text] = /^\(\?([ims]+)\)([^]*)$/.exec(text) ?? [];
  let isInClass = false;
  const signs = new Map([
    [".", flags.includes("s") ? "[^]" : "[^\\n]"],
    ["^", flags.includes("m") ? "(?<=^|\\n)" : "^"],
    ["$", flags.includes("m") ? "(?=\\n|$)" : "$"],
    ["(?P<", "(?<"],
    ["\\A", "^"],
    ["\\z", "$"],
    ["\\a", "\\x07"],
    ["\\s", `[${SPACE}]`],
    ["\\S", `[^${SPACE}]`],
  ]);
  const source = rest.replace(SIGNS, (sign: string, escaped?: string) => {
    if (escaped !== undefined && /[^\w]|_/.test(escaped))
      return `\\u{${escaped.codePointAt(0)!.toString(16)}}`;
    const wasInClass = isInClass;
    if (sign[0] === "[") isInClass = true;
    if (sign === "]") isInClass = false;
    if (sign === "\\s" && wasInClass) return SPACE;
    if ((sign === "\\S" && wasInClass) || /^\(\?.*[msU]/.test(sign))
      throw new SyntaxError(`${sign} is not known here`);
    return (wasInClass ? undefined : signs.get(sign)) ?? sign;
  });
  const expression = new RegExp(source, flags.includes("i") ? "iu" : "u");
  return { size: 1, occursIn: (each) => expression.test(each) };
}
