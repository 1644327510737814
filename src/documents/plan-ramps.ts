import type { ClockAndRandom } from "../base/clock.ts";
import type { FlagPlace, FlagRecord } from "../flags/flag.ts";
import { putRamp, putStep } from "../flags/plan.ts";
import { hasCourse, intentionOf, withShareOf } from "../flags/ramps/ramp-intention.ts";
import { isGuarded, planStart, settled } from "../flags/ramps/ramp-plan.ts";
import { asUnreached, isAsLeft, rampedState, readShare, withState } from "../flags/ramps/ramp-share.ts";
import { type Ramp, type RampPlan, isHeld } from "../flags/ramps/ramp.ts";
import { endOf, stepOf } from "../flags/ramps/ramps.ts";
import type { Target } from "./plan.ts";
import type { SetupChange } from "./setup.ts";

/** The author of a document. */
export type Author = { name: string; why?: string | null | undefined };

/** A flag in an environment, `current` now and `record` by its entry, in which `wanted` is the ramp. */
type Entry = {
  place: FlagPlace;
  target: Target;
  current: FlagRecord;
  record: FlagRecord;
  wanted: RampPlan | null | undefined;
  author: Author;
};

/** A flag and its ramp after an entry. */
type Ramped = {
  record: FlagRecord;
  /** After `record` is stored. */
  changes: SetupChange[];
  /** The courses before and after, where they differ. */
  before?: { ramp: RampPlan };
  after?: { ramp: RampPlan };
};

/**
 * Plans the ramp of a flag. If the last ramp has the wanted plan, the ramp and the share of the flag stay as they are.
 * Otherwise it is replaced, starting from the present share if the variant is the same. Throws `invalid`.
 */
export function planRamp(clock: ClockAndRandom, entry: Entry): Ramped {
  const { place, target, current, record, wanted } = entry;
  const found = target.ramps.get(place.flag);
  const ramp = found && settled(found);
  const had = intentionOf(ramp);
  const before = had && { before: { ramp: had } };
  if (wanted === undefined) return { record, changes: [] };
  if (wanted === null) return { record, changes: ended(place, ramp), ...before };
  const isLeft = ramp?.variant === wanted.variant && isAsLeft(current, ramp.left);
  if (!ramp || !hasCourse(ramp, wanted, clock.now())) {
    const goesOn = isLeft && ramp.status !== "aborted";
    const from = goesOn ? withRamped(record, withShareOf(ramp, record)) : record;
    const started = start(clock, entry, from, wanted);
    return { record: from, changes: [...ended(place, ramp), ...started], ...before, after: { ramp: wanted } };
  }
  if (!isLeft) return { record, changes: [] };
  const kept = withRamped(record, withShareOf(ramp, record));
  const isSwitched = kept.enabled !== ramp.left.enabled;
  if (!isHeld(ramp) || isSwitched || isAsLeft(kept, ramp.left)) return { record: kept, changes: [] };
  // The document has other variants or conditions: the ramp goes on with them.
  const { share } = readShare(asUnreached(record, wanted.variant), wanted.variant);
  const adapted = { ...ramp, left: rampedState(kept), before: { ...rampedState(record), share } };
  return { record: kept, changes: [putStep(clock, place.project, ramp, adapted)] };
}

function withRamped(record: FlagRecord, state: Ramp["left"]): FlagRecord {
  return { ...record, enabled: state.enabled, rules: withState(record.rules, state) };
}

function ended({ project }: FlagPlace, ramp: Ramp | undefined): SetupChange[] {
  if (!ramp || !isHeld(ramp)) return [];
  return [
    putRamp(project, ramp, { ...ramp, status: "aborted", reason: "person", nextAt: null }, "ramp.ended"),
  ];
}

function start(
  clock: ClockAndRandom,
  { place, target, record: wanted, author: { name: who, why = null } }: Entry,
  from: FlagRecord,
  { start, ...course }: RampPlan,
): SetupChange[] {
  const at = clock.now();
  const plan = start !== undefined && Date.parse(start) > at ? { ...course, start } : course;
  const planned = planStart(place, from, plan, { who, why, isGuarded: isGuarded(target) }, at, true);
  const { share } = readShare(asUnreached(wanted, plan.variant), plan.variant);
  const ramp = { ...planned.ramp, before: { ...rampedState(wanted), share } };
  if (planned.record === null) return [putRamp(place.project, undefined, ramp)];
  return [
    stepOf(place, from, planned.record),
    putStep(clock, place.project, undefined, ramp, "ramp.stepped", ...endOf(ramp)),
  ];
}
