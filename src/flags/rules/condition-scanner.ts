import { own } from "../../base/shapes/own.ts";
import { AppError } from "../../base/errors.ts";
import { OPERATORS, OPERATOR_WORDS } from "./conditions.ts";

/** A condition in words, and how far it is read. */
export type Scanner = { readonly text: string; at: number; depth: number };

/** An operator as a condition has it; `isNegated` for `not in` and others. */
export type ReadOperator = { operator: string; isNegated: boolean };

/** Other spellings of operators, all in lower case. */
const SPELLINGS = new Map<string, ReadOperator>([
  ...OPERATORS.map((operator) => [operator, { operator, isNegated: false }] as const),
  ...Object.entries(OPERATOR_WORDS).map(
    ([operator, words]) => [words, { operator, isNegated: false }] as const,
  ),
  ["=", { operator: "==", isNegated: false }],
  ["===", { operator: "==", isNegated: false }],
  ["!==", { operator: "!=", isNegated: false }],
  ["semver", { operator: "sem_ver", isNegated: false }],
  ...["in", "contains", "starts_with", "ends_with", "sem_ver", "matches", "in_cidr", "before", "after"].map(
    (operator) => [`not ${operator}`, { operator, isNegated: true }] as const,
  ),
  ["is not one of", { operator: "in", isNegated: true }],
]);

const SYMBOL = /[=!<>]+/y;
/** Operators of words, the longest first. They end where a value begins. */
const WORD = new RegExp(
  `(?:${[...SPELLINGS.keys()]
    .filter((spelling) => /^[a-z]/.test(spelling))
    .toSorted((a, b) => b.length - a.length)
    .map((spelling) => spelling.replaceAll(" ", String.raw`\s+`))
    .join("|")})(?=[\\s"'([]|$)`,
  "iy",
);
/** Another operator of symbols, which no value is. */
const REPEATED = /\s+[=!<>]+(?=\s|$)/y;
const SPACE = /\s*/y;
/** A word of a value in a condition. */
const PART = /[^\s,()[\]&|]+|[&|](?![&|])/y;
const QUOTED = /"[^"]*"|'[^']*'/y;
const JOINING = /^(?:and|or)$/i;
const OPERATOR_LIKE = /^(?:[=!<>]+|not|segment|in|is|contains|starts|starts_with|ends|ends_with|sem_ver)$/i;

/** The text that a sticky expression finds next; it is read. */
export function take(scanner: Scanner, expression: RegExp): string | undefined {
  expression.lastIndex = scanner.at;
  const [found] = expression.exec(scanner.text) ?? [];
  if (found !== undefined) scanner.at += found.length;
  return found;
}

export function skipSpace(scanner: Scanner): void {
  take(scanner, SPACE);
}

/** Whether an expression finds something next. */
export function isNext({ text, at }: Scanner, expression: RegExp): boolean {
  expression.lastIndex = at;
  return expression.test(text);
}

/** Spellings of other languages. */
const SWAPPED: Readonly<Record<string, string>> = { "=>": ">=", "=<": "<=", "<>": "!=" };

/** Reads an operator; undefined if none follows. Throws `invalid` for symbols that are none. */
export function takeOperator(scanner: Scanner): ReadOperator | undefined {
  const start = scanner.at;
  const symbol = take(scanner, SYMBOL);
  if (symbol === undefined) {
    const words = take(scanner, WORD);
    return words === undefined ? undefined : SPELLINGS.get(words.toLowerCase().replaceAll(/\s+/g, " "));
  }
  const known = SPELLINGS.get(symbol);
  if (known && isNext(scanner, REPEATED))
    throw faultAt(scanner.at, `another operator follows ${symbol}`, JOIN_HINT);
  if (known) return known;
  const swapped = own(SWAPPED, symbol);
  throw faultAt(start, `unknown operator ${symbol}`, swapped && `write ${swapped}`);
}

/**
 * Reads the text of a value, up to `and`, `or` or a closing bracket. In quotes, in brackets, at its start and after a
 * comma, these are part of the value. Throws `invalid` for an unclosed quote or bracket, or if an operator follows.
 */
export function takeValue(scanner: Scanner): string {
  skipSpace(scanner);
  const start = scanner.at;
  const open: number[] = [];
  let [end, mayJoin] = [start, false];
  for (;;) {
    skipSpace(scanner);
    const { at } = scanner;
    const part = takePart(scanner, open);
    const isEnd = part === undefined || (mayJoin && open.length === 0 && JOINING.test(part));
    if (isEnd) {
      scanner.at = at;
      break;
    }
    if (mayJoin && open.length === 0 && OPERATOR_LIKE.test(part))
      throw faultAt(at, `${part} is not expected here`, JOIN_HINT);
    end = scanner.at;
    mayJoin = part !== ",";
  }
  if (open.length > 0) throw faultAt(open[0]!, "the bracket is not closed");
  return scanner.text.slice(start, end);
}

const JOIN_HINT =
  'join conditions by and or or, as in plan == pro and country == AT; put a literal text in quotes: "lost in space"';

/** A quoted text, a comma, a bracket or a word; undefined for what ends the value. `open` has the open brackets. */
function takePart(scanner: Scanner, open: number[]): string | undefined {
  const { text, at } = scanner;
  const character = text[at] ?? "";
  if (character === '"' || character === "'") {
    const quoted = take(scanner, QUOTED);
    if (quoted === undefined) throw faultAt(at, `the quote ${character} is not closed`);
    return quoted;
  }
  if (character === ")" || character === "]") {
    if (open.pop() === undefined) return undefined;
  } else if (character === "(" || character === "[") open.push(at);
  else if (character !== ",") return take(scanner, PART);
  scanner.at += 1;
  return character;
}

/** A fault in a condition, with its column. */
export function faultAt(at: number, message: string, hint: string | undefined = EXAMPLE, reason?: string) {
  return new AppError("invalid", `at column ${at + 1}, ${message}`, {
    hint,
    ...(reason === undefined ? {} : { reason }),
  });
}

export const EXAMPLE =
  "a condition looks like 'email ends_with @example.com', 'age >= 18 and country in AT, DE', 'segment staff'";
