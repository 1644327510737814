import { momentOf } from "../../evaluator/moments.ts";
import type * as Library from "./re2.ts";
import { Networks, networkOf } from "../../evaluator/networks.ts";

/** Operands of the operators that flagd does not have, read once from a rule. */

/**
 * Limits of patterns, of which rules have many: characters, and instructions of a program, which ordinary ones have 10 to 50 of,
 * and those of a rule together.
 */
export const PATTERN_LIMITS = { characters: 1000, instructions: 1000, ofRule: 5000 };

export const PATTERNS_TOO_LARGE = "the patterns of the rule are too large: repeat less, as in {1,100}";

/** A regular expression that is searched in linear time: each character takes at most `size` steps. */
export class Pattern {
  readonly size: number;
  readonly #test: (text: string) => boolean;

  constructor(size: number, test: (text: string) => boolean) {
    this.size = size;
    this.#test = test;
  }

  /** Whether it occurs anywhere in a text. */
  occursIn(text: string): boolean {
    return this.#test(text);
  }
}

/** Patterns that were read last: rules of imports repeat theirs, and compiling one takes a tenth of a millisecond. */
const read = new Map<string, Pattern | string>();
const MAX_READ = 100;

/** A pattern in the syntax of RE2, or why a text is none. */
export function patternOf(text: string): Pattern | string {
  const known = read.get(text);
  if (known !== undefined) return known;
  if (read.size >= MAX_READ) read.clear();
  const pattern = compiledOf(text);
  if (text.length <= PATTERN_LIMITS.characters) read.set(text, pattern);
  return pattern;
}

function compiledOf(text: string): Pattern | string {
  if (text.length > PATTERN_LIMITS.characters)
    return `a pattern has at most ${PATTERN_LIMITS.characters} characters`;
  // Rules are compiled by their first evaluation, which does not wait.
  const { RE2JS, RE2JSException } = require("./re2.ts") as typeof Library;
  try {
    const compiled = RE2JS.compile(text);
    const size = compiled.programSize();
    if (size > PATTERN_LIMITS.instructions) return "the pattern is too large: repeat less, as in {1,100}";
    return new Pattern(size, (each) => compiled.test(each));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace("error parsing regexp: ", "").slice(0, 200);
    return `the pattern does not compile (${reason}); patterns are RE2, without lookaround and backreferences`;
  }
}

/** Networks, or why a value is neither one nor a list of some. */
export function networksOf(value: unknown): Networks | string {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const networks: string[] = [];
  for (const each of list) {
    const network = typeof each === "string" ? networkOf(each) : undefined;
    if (network === undefined)
      return `${shortened(each)} is not a network such as 10.0.0.0/8 or 2001:db8::/32`;
    networks.push(network);
  }
  return networks.length === 0 ? "the list of networks is empty" : new Networks(networks);
}

/** A moment, or why a value is none. */
export function requireMoment(value: unknown): number | string {
  return (
    momentOf(value) ??
    `${shortened(value)} is not a time such as 2026-01-31T12:00:00Z, with its zone, or milliseconds since 1970`
  );
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
