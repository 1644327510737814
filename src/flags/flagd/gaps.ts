import { AppError } from "../../base/errors.ts";
import type { FlagRules, RulesPatch } from "../rules/rules.ts";
import { referencesOf } from "../segment.ts";
import type { Fault } from "./check.ts";
import { resultsOf } from "./results.ts";
import { type Segments, inlineSegments } from "./segments.ts";

/**
 * What makes evaluations of a valid rule fail: a segment that does not exist, also one that another segment refers to,
 * and a result that is not one of the flag's variants. Throws `RangeError` as `inlineSegments` does.
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
  const names = Object.keys(variants).join(", ");
  const stray = resultsOf(whole, "/targeting")
    .filter(({ variant }) => variant != null && !Object.hasOwn(variants, variant))
    .map(({ path, variant }) => ({
      path,
      message: `"${variant}" is not one of the variants: ${names}`,
    }));
  return [...missing, ...stray];
}

/** Whether a change can cause gaps. A change of the default alone, for example, leaves the gaps of an imported flag. */
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
