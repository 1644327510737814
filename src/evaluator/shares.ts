import { type Compiler, Constant, type Operation, type Run, converted, runOf } from "./code.ts";
import { hashOf } from "./hash.ts";
import { pay } from "./steps.ts";
import { currentFlagd, isWhole, memberOf } from "./subject.ts";

type Result = string | number | boolean | null;

/** The buckets of a `fractional`, in order. */
type Buckets = {
  results: Result[];
  /** The sum of the weights up to each bucket. */
  ends: number[];
  total: number;
};

/** The highest sum of weights, as in flagd. */
const MAX_TOTAL = 2 ** 31 - 1;

/**
 * The operation `fractional`: a value to deal out by, and buckets. Buckets that are constants are prepared once.
 * https://flagd.dev/reference/custom-operations/fractional-operation/
 */
export const fractional: Operation = (args, compiler) => {
  const deal = dealt(args, compiler);
  // In a loop, an element has the place of the context.
  return (data, frame) => {
    pay(1);
    return isWhole(data) ? deal(data, frame) : null;
  };
};

function dealt(args: unknown, { compile, resolve }: Compiler): Run {
  if (!Array.isArray(args)) {
    const run = runOf(compile(args));
    return (data, frame) => {
      const given = run(data, frame);
      return Array.isArray(given) ? dealAny(given, data) : null;
    };
  }
  const codes = args.map(compile);
  const runs = codes.map(runOf);
  const by = resolve(args[0]);
  // A value of the context that is no text is no bucket either.
  const isVariable = typeof by === "object" && by !== null && "var" in by;
  const [first, ...rest] = codes;
  if (!rest.every((each) => each instanceof Constant))
    return (data, frame) => {
      const given = runs.map((run) => run(data, frame));
      return isVariable && typeof given[0] !== "string" ? null : dealAny(given, data);
    };
  const values = rest.map(({ value }) => value);
  if (first instanceof Constant && typeof first.value !== "string") {
    const buckets = bucketsOf([first.value, ...values]);
    return (data) => deal(buckets, keyOf(data));
  }
  const buckets = bucketsOf(values);
  const key = runs[0];
  return (data, frame) => {
    const text = key?.(data, frame);
    if (typeof text === "string") return deal(buckets, text);
    return isVariable ? null : dealAny([text, ...values], data);
  };
}

function dealAny(given: readonly unknown[], data: unknown): Result {
  const [by, ...buckets] = given;
  return typeof by === "string" ? deal(bucketsOf(buckets), by) : deal(bucketsOf(given), keyOf(data));
}

/** The text that is hashed where a rule names none: it differs for each flag, so that not the same people get every share. */
const keyOf = converted((data: unknown): string | null => {
  const key = memberOf(data, "targetingKey");
  return key ? `${currentFlagd().flagKey}${key as string}` : null;
}, null);

function deal(buckets: Buckets | null, key: string | null): Result {
  if (buckets === null || key === null) return null;
  const { results, ends, total } = buckets;
  const hash = hashOf(key);
  // In halves: the product of two numbers of 32 bits is none that is exact.
  const position = Math.floor(
    ((hash >>> 16) * total + Math.floor(((hash & 0xffff) * total) / 65_536)) / 65_536,
  );
  for (let at = 0; at < ends.length; at += 1) if (ends[at]! > position) return results[at]!;
  return null;
}

/** Null for what are no buckets: a result and a whole number each, which may be left out. */
function bucketsOf(list: readonly unknown[]): Buckets | null {
  const buckets: Buckets = { results: [], ends: [], total: 0 };
  for (const bucket of list) {
    if (!Array.isArray(bucket) || bucket.length < 1 || bucket.length > 2) return null;
    const [result = null, weight = 1] = bucket as unknown[];
    if (typeof result === "object" && result !== null) return null;
    if (typeof weight !== "number" || !Number.isInteger(weight)) return null;
    buckets.total += Math.max(0, weight);
    buckets.results.push(result as Result);
    buckets.ends.push(buckets.total);
  }
  return buckets.total <= MAX_TOTAL ? buckets : null;
}
