import { isoTime, shownTime } from "../../base/clock.ts";
import { shownOf } from "../../base/kinds/records.ts";
import { COURSE, GUARDED } from "./ramp-card.ts";
import { isBegun, type Ramp, type RampPlan } from "./ramp.ts";

/** The course of a ramp, of which the first step may be to come. */
export function planOfRamp(ramp: Ramp): RampPlan {
  const { steps, startAt } = ramp;
  const { within } = steps[0]!;
  const { guards, onGuard, ...course } = shownOf(COURSE, ramp);
  return {
    ...course,
    to: steps.map(({ share }) => share),
    ...(within && { within }),
    ...(within && steps.some((step) => !step.within) && { thenEveryone: true }),
    ...(startAt === null || isBegun(ramp) ? {} : { start: isoTime(startAt) }),
    ...(guards.length === 0 ? {} : { guards, onGuard }),
  };
}

/** A ramp as the history records it. */
export function rampState(ramp: Ramp) {
  const { status, reason, share } = ramp;
  return { ...planOfRamp(ramp), status, reason, share };
}

export function viewRamp(ramp: Ramp) {
  const { flag, environment, variant, share, status, nextAt, every, steps, reason, who, why, createdAt } =
    ramp;
  return {
    flag,
    environment,
    variant,
    share,
    status,
    nextAt: shownTime(nextAt),
    every,
    steps: steps.map(({ doneAt, ...step }) => ({ ...step, doneAt: shownTime(doneAt) })),
    reason,
    ...shownOf(GUARDED, ramp),
    who,
    why,
    createdAt: isoTime(createdAt),
  };
}
