import { AppError } from "../../base/errors.ts";
import { recordOf } from "../../base/kinds/records.ts";
import type { Environment } from "../../projects/environment.ts";
import { type ChangedFlag, changeRecord, type FlagPlace, type FlagRecord } from "../flag.ts";
import { COURSE } from "./ramp-card.ts";
import { asUnreached, isAsLeft, rampedState, readShare, withoutLimit, writeShare } from "./ramp-share.ts";
import { dueAt, type FoundRamp, nextStep, type Ramp, type RampPlan, type RampReason } from "./ramp.ts";

/** Whether changes of an environment need a confirmation or approvals. */
export function isGuarded({ locked, approvals }: Pick<Environment, "locked" | "approvals">): boolean {
  return locked || approvals > 0;
}

/** Why a running ramp cannot go on; null if it can. */
export function troubleOf(found: FoundRamp): RampReason | null {
  const { ramp, flag } = found;
  // A flag of the same name that was created since is another flag.
  if (flag === null || flag.createdAt > ramp.createdAt) return "deleted";
  if (!isAsLeft(flag, ramp.left)) return "changed";
  return found.isGuarded && !ramp.isGuarded ? "locked" : null;
}

/**
 * The present state of a ramp. The schedule pauses a ramp that cannot continue within a second; readers see it as
 * paused at once.
 */
export function settled(found: FoundRamp): Ramp {
  const { ramp } = found;
  if (ramp.status !== "running") return ramp;
  const reason = troubleOf(found);
  if (reason === null) return ramp;
  return { ...ramp, status: reason === "deleted" ? "aborted" : "paused", reason, nextAt: null };
}

/** A flag with other values of the fields that a ramp sets. */
export function withRecord(
  flag: string,
  before: FlagRecord,
  values: Pick<FlagRecord, "enabled" | "rules">,
  now: number,
): ChangedFlag {
  return changeRecord(flag, before, now, (record) => ({ ...record, ...values, imported: false }));
}

type Begun = Pick<Ramp, "who" | "why" | "isGuarded">;

/**
 * Plans a ramp. `record` is the flag after the first step, or null if that comes later; `first` is the flag after that
 * step in either case. With `adopts`, steps that the flag has already reached count as done. Throws `invalid`.
 */
export function planStart(
  { environment, flag }: FlagPlace,
  before: FlagRecord,
  { to, start, within, thenEveryone = false, ...given }: RampPlan,
  by: Begun,
  at: number,
  adopts = false,
): { ramp: Ramp; record: FlagRecord | null; first: FlagRecord } {
  const course = recordOf(COURSE, given);
  const { variant } = course;
  const { share } = readShare(asUnreached(before, variant), variant);
  const steps = to.map((each, index) => ({
    share: each,
    doneAt: adopts && each <= share ? at : null,
    ...(within && (index === 0 || !thenEveryone) && { within }),
  }));
  const next = nextStep({ steps });
  if (next === undefined || next.share <= share)
    throw new AppError("invalid", `"${variant}" has ${share} % of users already: a ramp raises its share`, {
      hint: share >= 100 ? "choose another variant, or another default" : `begin above ${share}`,
    });
  const startAt = start === undefined ? null : Date.parse(start);
  const left = rampedState(before);
  const waiting: Ramp = {
    environment,
    flag,
    ...course,
    steps,
    startAt,
    status: "running",
    reason: null,
    nextAt: null,
    share,
    left,
    before: { ...left, share },
    ...by,
    // Not before its flag, which a process whose clock is ahead may have created: then it would seem to be of another one.
    createdAt: Math.max(at, before.createdAt),
  };
  const { ramp, record } = stepped(waiting, before, at);
  const isLater = startAt !== null || next !== steps[0];
  if (!isLater) return { ramp, record, first: record };
  return { ramp: { ...waiting, nextAt: startAt ?? dueAt(waiting) }, record: null, first: record };
}

/** A ramp and its flag after the next step. Throws `invalid` for a rule of another kind. */
export function stepped(ramp: Ramp, before: FlagRecord, at: number): { ramp: Ramp; record: FlagRecord } {
  const { share, within } = nextStep(ramp)!;
  const { rows, ...read } = readShare(asUnreached(before, ramp.variant), ramp.variant);
  const own = { ...read, rows: withoutLimit(rows, ramp.steps[0]!.within) };
  const rules = writeShare(own, ramp.variant, share, within);
  const { record } = withRecord(ramp.flag, before, { enabled: true, rules }, at);
  const steps = ramp.steps.map((each) => (each.share === share ? { ...each, doneAt: at } : each));
  const after = { ...ramp, steps, share, left: rampedState(record) };
  return nextStep(after)
    ? { ramp: { ...after, nextAt: dueAt(after) }, record }
    : { ramp: { ...after, status: "completed", nextAt: null }, record };
}
