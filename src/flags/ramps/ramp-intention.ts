import { type RampedState, type Ramp, type RampPlan, isHeld } from "./ramp.ts";
import { planOfRamp } from "./ramp-view.ts";
import { type Ramped, readShare, writeShare } from "./ramp-share.ts";

/** The course of a ramp that holds its flag; undefined for one that has ended. */
export function intentionOf(ramp: Ramp | undefined): RampPlan | undefined {
  return ramp && isHeld(ramp) ? planOfRamp(ramp) : undefined;
}

/** Whether a ramp has the course that is wanted. A start that has passed does not count. */
export function hasCourse(ramp: Ramp, { start, ...wanted }: RampPlan, now: number): boolean {
  const { start: due, ...course } = planOfRamp(ramp);
  const complete = (plan: RampPlan) => ({ guards: [], onGuard: "pause", ...plan });
  if (!Bun.deepEquals(complete(course), complete(wanted), false)) return false;
  const at = start === undefined ? undefined : Date.parse(start);
  return due === undefined ? at === undefined || at <= now : at === Date.parse(due);
}

/**
 * A desired state of a flag, with the share and, once the ramp turned the flag on, the state that its ramp has left it with.
 * Throws `invalid` for a rule of another kind.
 */
export function withShareOf(ramp: Ramp, wanted: RampedState): RampedState {
  const { variant, before, left, share } = ramp;
  // A state that neither the ramp nor the flag before it has had was asked for.
  if (isHeld(ramp) && wanted.enabled !== left.enabled && wanted.enabled !== before.enabled) return wanted;
  const own = readShare(wanted, variant);
  if ([before, left].some((each) => hasSameBase(readShare(each, variant), own))) return left;
  // Other variants or conditions: the share of an ended ramp is that of the flag, which is as wanted.
  if (!isHeld(ramp) || left.rules === before.rules) return wanted;
  return { enabled: left.enabled, rules: writeShare(own, variant, share) };
}

/** Whether two states differ at most in the share. */
function hasSameBase(one: Ramped, other: Ramped): boolean {
  const baseOf = ({ rows, rules: { variants, defaultVariant } }: Ramped) => [rows, variants, defaultVariant];
  return Bun.deepEquals(baseOf(one), baseOf(other), true);
}
