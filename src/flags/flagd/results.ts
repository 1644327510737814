import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { FlagRules, RulesPatch } from "../rules/rules.ts";
import { referencesOf } from "../segment.ts";
import type { Fault } from "./definition.ts";
import { type Segments, inlineSegments } from "./nested-segments.ts";

/**
 * A possible result of a rule, with its place in it: the name of a variant, null for the default, undefined if
 * unknown.
 */
export type Result = { path: string; variant: string | null | undefined };

/** Every result of a rule without references, as far as `if` and `fractional` show it. */
export function resultsOf(rule: unknown, path = ""): Result[] {
  if (rule === null || rule === undefined) return [{ path, variant: null }];
  // flagd uses the text of a number, true or false as the name of a variant.
  if (typeof rule === "string" || typeof rule === "number" || typeof rule === "boolean")
    return [{ path, variant: String(rule) }];
  const [[operation, args] = [], ...more] = Array.isArray(rule) ? [] : Object.entries(rule);
  if (more.length > 0 || !Array.isArray(args)) return [{ path, variant: undefined }];
  const within = (step: string, result: unknown) => resultsOf(result, `${path}/${operation}/${step}`);
  if (operation === "if") return branchesOf(args).flatMap(([index, branch]) => within(`${index}`, branch));
  if (operation === "fractional")
    return sharesOf(args).flatMap(([index, variant]) => within(`${index}/0`, variant));
  return isCondition(rule)
    ? [true, false].flatMap((result) => resultsOf(result, path))
    : [{ path, variant: undefined }];
}

/** Operations that yield true or false. */
const CONDITIONS = new Set(
  "== != === !== < <= > >= ! !! in some all none starts_with ends_with sem_ver matches in_cidr before after".split(
    " ",
  ),
);

/** Whether a rule yields nothing but true or false. */
function isCondition(rule: unknown): boolean {
  if (typeof rule === "boolean") return true;
  if (!isObject(rule)) return false;
  const [[operation, args] = []] = Object.entries(rule);
  if (operation === "and" || operation === "or") return Array.isArray(args) && args.every(isCondition);
  return CONDITIONS.has(operation!);
}

type Argument = [index: number, argument: unknown];

/** The branches of an `if` that can be taken; its arguments are condition, value, condition, value, …, else. */
function branchesOf(args: unknown[]): Argument[] {
  const branches: Argument[] = [];
  for (let at = 0; ; at += 2) {
    const [condition, value] = [args[at], args[at + 1]];
    if (value === undefined) return [...branches, [at, condition ?? null]];
    if (condition !== false) branches.push([at + 1, value]);
    if (condition === true) return branches;
  }
}

/** The buckets `[variant, weight]` of a `fractional` with a weight other than 0; its first argument may be the bucketing value. */
function sharesOf(args: unknown[]): Argument[] {
  return args.flatMap((bucket, index): Argument[] =>
    Array.isArray(bucket) && bucket[1] !== 0 ? [[index, bucket[0] as unknown]] : [],
  );
}

/**
 * Reasons why evaluations of a valid rule fail: a missing segment, directly or in another segment, and a result that is
 * not a variant of the flag. Throws `RangeError` like `inlineSegments`.
 */
export function findGaps({ variants, targeting }: FlagRules, segments: Segments): Fault[] {
  if (targeting === undefined) return [];
  const whole = inlineSegments(segments, targeting);
  const missing = [...referencesOf(JSON.stringify(whole))].map((name) => ({
    path: "/targeting",
    message: segments.has(name)
      ? `the segment "${name}" refers to itself`
      : `the segment "${name}" does not exist`,
  }));
  const names = Object.keys(variants);
  const stray = resultsOf(whole, "/targeting")
    .filter(({ variant }) => variant != null && !Object.hasOwn(variants, variant))
    .map(({ path, variant }) => {
      // A rule yields the name of a variant, not its value.
      const meant = names.find(
        (name) => typeof variants[name] === "boolean" && String(variants[name]) === variant,
      );
      const hint = meant === undefined ? "" : `; write "${meant}", whose value is ${variant}`;
      return { path, message: `"${variant}" is not one of the variants: ${names.join(", ")}${hint}` };
    });
  return [...missing, ...stray];
}

/** Whether a change can cause gaps. For example, a change of only the default keeps the gaps of an imported flag. */
export function canCauseGaps({ variants, targeting }: RulesPatch): boolean {
  return variants != null || targeting != null;
}

/** Throws `invalid` with the first gap. */
export function requireNoGaps(rules: FlagRules, segments: Segments): void {
  const [gap] = findGaps(rules, segments);
  if (gap)
    throw new AppError("invalid", `${gap.path}: ${gap.message}`, {
      reason: "rule-with-gaps",
    });
}

/** Names of segments that the rule of a segment refers to and that do not exist. */
export function missingSegments(rule: unknown, segments: Segments): string[] {
  return [...referencesOf(JSON.stringify(rule))].filter((name) => !segments.has(name));
}
