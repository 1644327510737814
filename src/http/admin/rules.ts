import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { FlagPatch, FlagPlace, FlagRecord } from "../../flags/flag.ts";
import { mayMakeGaps, missingSegments, requireNoGaps } from "../../flags/flagd/gaps.ts";
import { type Segments, findNestingFaults, putIn } from "../../flags/flagd/segments.ts";
import { applyRules, changesRules, parseRules } from "../../flags/rules.ts";
import { everyScheduled } from "../../flags/schedule.ts";
import { type SegmentPlace, rulesBySegment, segmentInUse, usersOf } from "../../flags/segment.ts";

/**
 * Checks the rules that a change would leave a flag with, where it changes them. Throws `invalid` for what flagd's
 * schema does not know or cannot be evaluated here, `not_found` for the environment.
 */
export async function checkFlagRules(app: App, place: FlagPlace, patch: FlagPatch): Promise<void> {
  if (!changesRules(patch)) return;
  const current = await app.store.flags.find(place);
  const rules = applyRules(current?.rules ?? null, patch);
  if (rules === null) return;
  // Only here: the library takes as long to load as all the rest of a command.
  const { checkRules } = await import("../../flags/flagd/check.ts");
  const selection = await app.store.flags.selectIn(place.project, place.environment);
  // What somebody writes here is looked at more closely than what stands already, which may have been imported.
  const isStrict = patch.targeting != null;
  const segments = rulesBySegment(await selection.segments());
  checkRules(parseRules(rules), segments, isStrict);
  if (mayMakeGaps(patch)) requireNoGaps(parseRules(rules), segments);
}

/**
 * Throws `invalid` for a rule that could be no segment, that refers to one that does not exist or back to itself, or that
 * makes rules of flags too large.
 */
export async function checkSegmentRule(app: App, place: SegmentPlace, rule: unknown): Promise<void> {
  const { checkSegment } = await import("../../flags/flagd/check.ts");
  checkSegment(rule);
  const selection = await app.store.flags.selectIn(place.project, place.environment);
  const before = rulesBySegment(await selection.segments());
  const segments = new Map(before).set(place.segment, rule);
  const [missing] = missingSegments(rule, segments);
  if (missing !== undefined)
    throw new AppError("invalid", `the segment "${missing}" does not exist`, { hint: "set that one first" });
  requireNesting(before, segments);
  checkSegmentsFit(await selection.flags(), segments);
}

/** Throws `invalid` with the first segment that refers to itself or too deep. */
function requireNesting(before: Segments, after: Segments): void {
  const [fault] = findNestingFaults(before, after);
  if (fault) throw new AppError("invalid", `segment "${fault[0]}": ${fault[1]}`);
}

/** Throws `conflict` where a flag, another segment or a scheduled change refers to a segment. */
export async function requireUnused(
  app: App,
  { project, environment, segment }: SegmentPlace,
): Promise<void> {
  const selection = await app.store.flags.selectIn(project, environment);
  const users = usersOf(segment, {
    flags: await selection.flags(),
    segments: await selection.segments(),
    scheduled: await everyScheduled(app, project, environment),
  });
  if (users.length > 0) throw segmentInUse(segment, users);
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
