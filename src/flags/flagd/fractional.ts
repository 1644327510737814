/** The buckets of a `fractional`, in order. */
type Buckets = {
  /** The arguments that they were created from. */
  of: readonly unknown[];
  results: (string | number | boolean | null)[];
  /** The sum of the weights up to each bucket. */
  ends: number[];
  total: number;
};

/** An operation of json-logic-engine. */
export type Method = (
  args: unknown,
  context: Record<string, unknown>,
  above: unknown,
  engine: unknown,
) => unknown;

/** The highest sum of weights whose product with 32 bits is an exact number. */
const MAX_TOTAL = 2 ** 21;

/**
 * Key under which the library's operations find their logger, without which they throw: only a whole context has it.
 */
export const LOGGER = Symbol.for("flagd.logger");

/** A logger for the library that discards everything. */
export const SILENT = { error() {}, warn() {}, info() {}, debug() {} };

/** Buckets by the last argument that they were created from, which is another array if a rule computes it. */
const prepared = new WeakMap<object, Buckets | null>();

/**
 * The operation `fractional`, which evaluates its arguments. If the rule has constant buckets, they are prepared once, which takes a tenth of the time
 * (`npm run bench -- ofrep`). Other arguments go to `library`, the operation of flagd's library. The library hashes
 * UTF-16 code units while flagd hashes UTF-8 bytes, so it gets a text with one character for each byte.
 * https://flagd.dev/reference/custom-operations/fractional-operation/
 */
export function fractionalOf(library: Method): Method {
  return (rule, context, above, engine) => {
    // In a loop, an element has the place of the context.
    if (!isWhole(context)) return null;
    const args = isConstant(rule) ? rule : (engine as Interpreter).run(rule, context, { above });
    const given = Array.isArray(args) ? (args as unknown[]) : [];
    // A value of the context that is no text is no bucket either.
    if (Array.isArray(rule) && isVariable(rule[0]) && typeof given[0] !== "string") return null;
    const text = bucketingText(given, context);
    if (text === null) return library(args, context, above, engine);
    const list = typeof given[0] === "string" ? given.slice(1) : given;
    const buckets = bucketsOf(list);
    if (buckets === null) return library([bytesOf(text), ...list], context, above, engine);
    const position = Math.floor((Bun.hash.murmur32v3(text) * buckets.total) / 2 ** 32);
    const index = buckets.ends.findIndex((end) => end > position);
    return buckets.results[index] ?? null;
  };
}

type Interpreter = { run: (rule: unknown, context: unknown, options: { above: unknown }) => unknown };

/** Whether rules are shares of constants, which nothing has to evaluate. */
const constant = new WeakMap<object, boolean>();

function isConstant(rule: unknown): boolean {
  if (!Array.isArray(rule)) return false;
  const known = constant.get(rule);
  if (known !== undefined) return known;
  const isPrimitive = (each: unknown) => typeof each !== "object" || each === null;
  const is = rule.every((each) => isPrimitive(each) || (Array.isArray(each) && each.every(isPrimitive)));
  constant.set(rule, is);
  return is;
}

function isVariable(rule: unknown): boolean {
  return typeof rule === "object" && rule !== null && "var" in rule;
}

/** The text whose UTF-8 bytes are hashed, as the library builds it; null without one. */
function bucketingText(args: readonly unknown[], context: Whole): string | null {
  if (typeof args[0] === "string") return args[0];
  const { targetingKey, $flagd } = context;
  return typeof targetingKey === "string" && targetingKey !== "" ? $flagd.flagKey + targetingKey : null;
}

type Whole = { targetingKey?: unknown; $flagd: { flagKey: string } };

function isWhole(context: unknown): context is Whole {
  return typeof context === "object" && context !== null && LOGGER in context;
}

function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Null for buckets that the library has to check or to count. */
function bucketsOf(list: readonly unknown[]): Buckets | null {
  const last = list.at(-1);
  if (!Array.isArray(last)) return null;
  const known = prepared.get(last);
  if (known === undefined) {
    const buckets = prepare(list);
    prepared.set(last, buckets);
    return buckets;
  }
  const isSame = known?.of.length === list.length && known.of.every((each, at) => each === list[at]);
  return isSame ? known : null;
}

function prepare(of: readonly unknown[]): Buckets | null {
  const buckets: Buckets = { of, results: [], ends: [], total: 0 };
  for (const bucket of of) {
    if (!Array.isArray(bucket) || bucket.length < 1 || bucket.length > 2) return null;
    const [result = null, weight = 1] = bucket as unknown[];
    if (!isResult(result) || typeof weight !== "number" || !Number.isInteger(weight)) return null;
    buckets.total += Math.max(0, weight);
    buckets.results.push(result);
    buckets.ends.push(buckets.total);
  }
  return buckets.total <= MAX_TOTAL ? buckets : null;
}

function isResult(value: unknown): value is Buckets["results"][number] {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
