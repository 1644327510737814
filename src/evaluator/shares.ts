import { type Operation, converted, isConstant, isObject, listOf, runOf } from "./code.ts";
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
 * The operation `fractional`: a text to deal out by, which may be left out, and buckets. Buckets that are constants are
 * prepared once. https://flagd.dev/reference/custom-operations/fractional-operation/
 */
export const fractional: Operation = (args, compiler) => {
  const { compile, resolve } = compiler;
  const [first, ...others] = Array.isArray(args) ? (args as unknown[]) : [];
  const [by, rest] = [compile(Array.isArray(args) ? first : args), listOf(others, compiler)];
  const [run, runRest] = [runOf(by), runOf(rest)];
  const path = resolve(first);
  // A value of the context that is no text is no bucket either.
  const isVariable = isObject(path) && "var" in path;
  const prepared = isConstant(rest) ? bucketsOf(rest.value) : undefined;
  const all = isConstant(rest) && isConstant(by) ? bucketsOf([by.value, ...(rest.value as unknown[])]) : null;
  return (data, level) => {
    pay(1);
    // In a loop, an element has the place of the context.
    if (!isWhole(data)) return null;
    if (all) return deal(all, keyOf(data));
    const value = run(data, level);
    const buckets = runRest(data, level) as unknown[];
    if (!Array.isArray(args)) return Array.isArray(value) ? dealAny(value, data) : null;
    if (typeof value === "string") return deal(prepared === undefined ? bucketsOf(buckets) : prepared, value);
    return isVariable ? null : dealAny([value, ...buckets], data);
  };
};

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
function bucketsOf(list: unknown): Buckets | null {
  const buckets: Buckets = { results: [], ends: [], total: 0 };
  for (const bucket of list as unknown[]) {
    if (!Array.isArray(bucket) || bucket.length < 1 || bucket.length > 2) return null;
    const [result = null, weight = 1] = bucket as unknown[];
    if (isObject(result)) return null;
    if (typeof weight !== "number" || !Number.isInteger(weight)) return null;
    buckets.total += Math.max(0, weight);
    buckets.results.push(result as Result);
    buckets.ends.push(buckets.total);
  }
  return buckets.total <= MAX_TOTAL ? buckets : null;
}
