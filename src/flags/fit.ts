import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import { applyRules, changesRules, parseRules } from "./rules/rules.ts";
import type { FlagPatch, FlagValues } from "./flag.ts";
import type { Segments } from "./flagd/nested-segments.ts";
import { referencesOf } from "./segment.ts";

/**
 * Checks the rules that a flag has after a patch, if the patch changes them. Throws `invalid` for rules that flagd's
 * schema rejects or that cannot be evaluated here.
 */
export async function requireSoundRules(
  current: FlagValues | undefined,
  patch: FlagPatch,
  segments: () => Promise<Segments>,
): Promise<void> {
  if (!changesRules(patch)) return;
  const rules = applyRules(current?.rules ?? null, patch);
  if (rules === null) return;
  // Imported on demand: RE2, which reads patterns, is large to load.
  const [{ checkRules }, { canCauseGaps, requireNoGaps }] = await Promise.all([
    import("./flagd/check.ts"),
    import("./flagd/results.ts"),
  ]);
  // A rule in the patch is checked strictly; the stored rule may be an imported one, for which less is required.
  const isStrict = patch.targeting != null;
  const existing = await segments();
  checkRules(parseRules(rules), existing, isStrict);
  if (canCauseGaps(patch)) requireNoGaps(parseRules(rules), existing);
}

/**
 * Throws `invalid` for a rule that cannot be a segment, that refers to a missing segment or back to itself, or that makes
 * the rule of a flag too large.
 */
export async function requireSoundSegment(
  name: string,
  rule: unknown,
  before: ReadonlyMap<string, unknown>,
  flags: FlagValues[],
): Promise<void> {
  const [{ checkSegment }, { missingSegments }, { findNestingFaults }] = await Promise.all([
    import("./flagd/check.ts"),
    import("./flagd/results.ts"),
    import("./flagd/nested-segments.ts"),
  ]);
  checkSegment(rule);
  const after = new Map(before).set(name, rule);
  const [missing] = missingSegments(rule, after);
  if (missing !== undefined)
    throw new AppError("invalid", `the segment "${missing}" does not exist`, { hint: "set that one first" });
  const [nesting] = findNestingFaults(before, after);
  if (nesting) throw new AppError("invalid", `segment "${nesting[0]}": ${nesting[1]}`);
  await requireRoom(flags, after);
}

/** Throws `invalid` if a flag's rule would be too large with these segments in it. */
export async function requireRoom(flags: FlagValues[], segments: Segments): Promise<void> {
  const takeTurns = createTurns();
  const broken: FlagValues[] = [];
  for (const flag of flags) {
    if (flag.rules === null) continue;
    if (!(await fits(parseRules(flag.rules).targeting, segments))) broken.push(flag);
    await takeTurns();
  }
  if (broken.length === 0) return;
  const names = broken.map(({ slug }) => slug).join(", ");
  throw new AppError("invalid", `the rule of ${names} would be too large with these segments in it`, {
    hint: "make the segment smaller, or refer to it less often",
  });
}

/**
 * Checks that rules from another environment or an earlier revision fit the segments of an environment. Throws
 * `conflict` if a rule refers to a missing segment, and `invalid` if it would be too large.
 */
export async function requireFit(
  flags: FlagValues[],
  segments: Segments,
  environment: string,
): Promise<void> {
  await requireRoom(flags, segments);
  const takeTurns = createTurns();
  for (const { slug, rules } of flags) {
    if (rules === null) continue;
    await takeTurns();
    const missing = [...referencesOf(rules)].filter((name) => !segments.has(name));
    if (missing.length === 0) continue;
    const names = missing.map((name) => `"${name}"`).join(", ");
    throw new AppError(
      "conflict",
      `the rule of "${slug}" refers to ${names}, which ${missing.length === 1 ? "is not a segment" : "are not segments"} of ${environment}`,
      { reason: "segment-missing" },
    );
  }
}

async function fits(targeting: unknown, segments: Segments): Promise<boolean> {
  if (targeting === undefined) return true;
  const { inlineSegments } = await import("./flagd/nested-segments.ts");
  try {
    inlineSegments(segments, targeting);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Reasons for which the store refuses a change that fits a flag. */
const REFUSALS = new Set(["requires-refused", "flag-needed", "variant-needed"]);

/**
 * Runs a change. If the store refuses it as too large, or for what flags need, runs it again with that error, so that it can
 * record why the change was not made. Throws what the second run throws, including `too_large`.
 */
export async function againIfRefused<T>(run: (refusal: AppError | null) => Promise<T>): Promise<T> {
  try {
    return await run(null);
  } catch (error) {
    if (!(error instanceof AppError) || !(error.code === "too_large" || REFUSALS.has(error.reason ?? "")))
      throw error;
    return run(error);
  }
}
