import type { App } from "../../app.ts";
import { AppError } from "../../errors.ts";
import { putIn, type Segments } from "../../flagd/segments.ts";
import type { FlagPatch, FlagRecord } from "../../flags.ts";
import { applyRules, changesRules, parseRules } from "../../rules.ts";
import { rulesBySegment } from "../../segments.ts";
import type { FlagPlace, SegmentPlace } from "../../store.ts";

/**
 * Looks at the rules that a change would leave a flag with, where it changes them. Throws `invalid` for what flagd's
 * schema does not know or cannot be evaluated here, `not_found` for the environment.
 */
export async function checkFlagRules(app: App, place: FlagPlace, patch: FlagPatch): Promise<void> {
  if (!changesRules(patch)) return;
  const current = await app.store.flags.find(place);
  const rules = applyRules(current?.rules ?? null, patch);
  if (rules === null) return;
  // Only here: the library takes as long to load as all the rest of a command.
  const { checkRules } = await import("../../flagd/check.ts");
  const selection = await app.store.flags.selectIn(place.project, place.environment);
  // What somebody writes here is looked at more closely than what stands already, which may have been imported.
  const isStrict = patch.targeting != null;
  checkRules(parseRules(rules), rulesBySegment(await selection.segments()), isStrict);
}

/** Throws `invalid` for a rule that could be no segment, or makes rules of flags too large. */
export async function checkSegmentRule(app: App, place: SegmentPlace, rule: unknown): Promise<void> {
  const { checkSegment } = await import("../../flagd/check.ts");
  checkSegment(rule);
  const selection = await app.store.flags.selectIn(place.project, place.environment);
  const segments = new Map(rulesBySegment(await selection.segments())).set(place.segment, rule);
  checkSegmentsFit(await selection.flags(), segments);
}

/** Throws `invalid` where a flag's rule would be too large with these segments in it. */
export function checkSegmentsFit(flags: FlagRecord[], segments: Segments): void {
  const broken = flags.filter(({ rules }) => rules !== null && !fits(parseRules(rules).targeting, segments));
  if (broken.length === 0) return;
  const names = broken.map(({ slug }) => slug).join(", ");
  throw new AppError("invalid", `the rule of ${names} would be too large with these segments in it`, {
    hint: "make the segment smaller, or refer to it less often",
  });
}

function fits(targeting: unknown, segments: Segments): boolean {
  if (targeting === undefined) return true;
  try {
    putIn(segments, targeting);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
