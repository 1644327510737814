import { type Compiler, type Operation, type Operations, type Run, isConstant, runOf } from "./code.ts";
import { momentOf } from "./moments.ts";
import { Networks, addressOf, networkOf } from "./networks.ts";
import { pay } from "./steps.ts";

/** A regular expression that takes at most `size` steps for each character. */
export type Pattern = { size: number; occursIn: (text: string) => boolean };

/** Reads a pattern in the syntax of RE2; anything but a pattern matches nothing. Throws for one that it cannot read. */
export type PatternOf = (text: string) => Pattern | string;

/** Steps of a pattern that cost one operation; a character of a text takes at most as many as the pattern is large. */
const STEPS_OF_PATTERN = 32;

/** An operation that compares with a constant. */
function withConstant(read: (constant: unknown) => ((text: string) => boolean) | undefined): Operation {
  return (args, compiler) => {
    const [value, constant] = Array.isArray(args) ? (args as unknown[]) : [];
    const run = runOf(compiler.compile(value));
    const holds = read(constant);
    return (data, level) => {
      const text = run(data, level);
      pay(1);
      return typeof text === "string" && holds !== undefined && holds(text);
    };
  };
}

/** The operation `matches`: whether a pattern occurs anywhere in a text. */
const matches = (patternOf: PatternOf) =>
  withConstant((constant) => {
    const found = typeof constant === "string" ? patternOf(constant) : "";
    if (typeof found === "string") return undefined;
    return (text) => {
      pay((text.length * found.size) / STEPS_OF_PATTERN);
      return found.occursIn(text);
    };
  });

/** The operation `in_cidr`: whether an address belongs to a network, or to one of several. */
const inCidr = withConstant((constant) => {
  const list = (Array.isArray(constant) ? constant : [constant]).map((each: unknown) =>
    typeof each === "string" ? networkOf(each) : undefined,
  );
  if (list.includes(undefined)) return undefined;
  const networks = new Networks(list as string[]);
  return (text) => {
    const address = addressOf(text);
    return address !== undefined && networks.has(address);
  };
});

/** A comparison of moments. */
function ofMoments(holds: (a: number, b: number) => boolean): Operation {
  return (args, compiler) => {
    const [a, b] = Array.isArray(args) ? (args as unknown[]) : [];
    const [left, right] = [momentIn(a, compiler), momentIn(b, compiler)];
    return (data, level) => {
      const [a, b] = [left(data, level), right(data, level)];
      pay(1);
      return a !== undefined && b !== undefined && holds(a, b);
    };
  };
}

/** The time of the evaluation is in seconds, where other moments are in milliseconds. */
function momentIn(
  part: unknown,
  { compile, resolve }: Compiler,
): (...at: Parameters<Run>) => number | undefined {
  const code = compile(part);
  if (isConstant(code)) {
    const moment = momentOf(code.value);
    return () => moment;
  }
  const isNow = (resolve(part) as { var?: unknown }).var === "$flagd.timestamp";
  return isNow
    ? (data, level) => momentOf(Number(code(data, level)) * 1000)
    : (data, level) => momentOf(code(data, level));
}

/** Operations of two arguments that flagd does not have. A value of another type is no match. */
export function conditionsBy(patternOf: PatternOf): Operations {
  return {
    matches: matches(patternOf),
    in_cidr: inCidr,
    before: ofMoments((a, b) => a < b),
    after: ofMoments((a, b) => a > b),
  };
}
