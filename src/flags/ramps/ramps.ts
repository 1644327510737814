import type { Caller } from "../../access/caller.ts";
import { change, type Moment, type Plan } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { requireChangeable } from "../../projects/locks.ts";
import { getEnvironment } from "../../projects/environments.ts";
import type { FlagChange } from "../change.ts";
import { requireFit, requireSoundRules } from "../fit.ts";
import { type FlagPlace, type FlagRecord, applyPatch, noSuchFlag } from "../flag.ts";
import { requireRevision } from "../history.ts";
import { findFlagSlugFault } from "../limits.ts";
import { because, putFlag, putRamp, putStep } from "../plan.ts";
import { requireSoundContent } from "../previews/preview-content.ts";
import { variantsToRelease } from "../release/release.ts";
import { parseRules } from "../rules/rules.ts";
import { segmentsIn } from "../segments.ts";
import type { FlagsApp } from "../store.ts";
import { isGuarded, planStart, settled, stepped, withRecord } from "./ramp-plan.ts";
import { asUnreached, isAsLeft, rampedState, readShare, withState } from "./ramp-share.ts";
import {
  dueAt,
  type FoundRamp,
  flagHeld,
  isHeld,
  nextStep,
  noSuchRamp,
  type Ramp,
  type RampStart,
  type RampReason,
} from "./ramp.ts";

/** The ramp of a flag in an environment, the last one if it has ended. Throws `not_found` for the flag or the ramp. */
export async function getRamp({ store }: FlagsApp, place: FlagPlace): Promise<Ramp> {
  const found = await store.ramps.find(place);
  if (found) return settled(found);
  if (!(await store.flags.find(place))) throw noSuchFlag(place.flag);
  throw noSuchRamp(place);
}

/**
 * Starts a ramp of a flag, with its first step unless it starts later, and with `patch` changes the flag first. Throws
 * `invalid` for a plan or a patch that does not fit the flag, `not_found` for the flag without a patch, `conflict` with
 * the reason `flag-held` while another ramp holds it and unless it is at the `expected` revision, and like
 * `requireChangeable`.
 */
export async function startRamp(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  { patch, ...plan }: RampStart,
  expected: number | null = null,
): Promise<Ramp> {
  requireScope(caller, "flags:write", place);
  if (plan.variant === undefined && !patch)
    throw new AppError("invalid", "variant, whose share grows, is missing");
  await requireSoundContent(patch?.previewContent);
  return change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, Ramp>> => {
    await requireChangeable(app, caller, place);
    const stored = await app.store.flags.find(place);
    requireRevision(place.flag, stored?.revision ?? 0, expected);
    const { before, changes } = await changedFor(app, place, stored, patch, { version, at });
    const found = await app.store.ramps.find(place);
    if (found && isHeld(settled(found))) throw flagHeld(place, "a ramp");
    const experiment = await app.store.ramps.experimentOn(place);
    if (experiment !== undefined) throw flagHeld(place, `the experiment "${experiment}"`);
    if (plan.start !== undefined && Date.parse(plan.start) <= at)
      throw new AppError("invalid", `a ramp starts later: ${isoTime(Date.parse(plan.start))} has passed`, {
        reason: "ramp-start",
      });
    const environment = await getEnvironment(app, place.project, place.environment);
    const { name: who, why = null } = caller;
    const by = { who, why, isGuarded: isGuarded(environment) };
    const { variant = variantsToRelease(before).usual } = plan;
    const planned = planStart(place, before, { ...plan, variant }, by, at);
    await requireSound(app, place, before, planned.first);
    const { ramp, record } = planned;
    if (record === null)
      return { changes: [...changes, putRamp(place.project, undefined, ramp)], result: ramp };
    const revision = version + changes.length + 1;
    return {
      changes: [
        ...changes,
        because(stepOf(place, before, { ...record, revision }), "a step of the ramp"),
        putStep(app, place.project, undefined, ramp, "ramp.stepped", ...endOf(ramp)),
      ],
      result: ramp,
    };
  });
}

/** A flag with the change that goes out by its ramp, which turns it on. Throws as {@link startRamp}. */
async function changedFor(
  app: FlagsApp,
  place: FlagPlace,
  stored: FlagRecord | undefined,
  patch: RampStart["patch"],
  { version, at }: Moment,
): Promise<{ before: FlagRecord; changes: FlagChange[] }> {
  if (!stored && !patch) throw noSuchFlag(place.flag);
  const { enabled, ...values } = patch ?? {};
  if (enabled === false)
    throw new AppError("invalid", "a ramp turns the flag on, and the change turns it off", {
      hint: "leave out one of these",
    });
  if (stored && Object.keys(values).length === 0) return { before: stored, changes: [] };
  const fault = findFlagSlugFault(place.flag);
  if (fault !== undefined) throw new AppError("invalid", fault);
  await requireSoundRules(stored, values, () => segmentsIn(app, place));
  const { record, result } = applyPatch(place.flag, stored, values, at);
  if (stored && result === "unchanged") return { before: stored, changes: [] };
  const before = { ...record, revision: version + 1 };
  return { before, changes: [putFlag(place, stored, before)] };
}

/** The change of a flag that is the step of a ramp. */
export function stepOf(place: FlagPlace, before: FlagRecord, record: FlagRecord): FlagChange {
  return { ...putFlag(place, before, record), isStep: true } as FlagChange;
}

/** The event of a step that was the last. */
export function endOf({ status }: Ramp): "ramp.ended"[] {
  return status === "completed" ? ["ramp.ended"] : [];
}

/** Checks the rules of a flag that a hold writes. Throws `invalid` and `too_large`. */
export async function requireSound(
  app: FlagsApp,
  place: FlagPlace,
  before: FlagRecord,
  record: FlagRecord,
): Promise<void> {
  const segments = await segmentsIn(app, place);
  await requireSoundRules(before, parseRules(record.rules!), async () => segments);
  await requireFit([record], segments, place.environment);
}

/**
 * Pauses a ramp. Needs no approval, because it does not change the flag. Throws `not_found`, `conflict` unless the ramp
 * is running, and like `requireChangeable` for a lock.
 */
export function pauseRamp(app: FlagsApp, caller: Caller, place: FlagPlace): Promise<Ramp> {
  requireScope(caller, "flags:write", place);
  return change(app, caller, async (): Promise<Plan<FlagChange, Ramp>> => {
    const { approvals } = await getEnvironment(app, place.project, place.environment);
    if (approvals === 0) await requireChangeable(app, caller, place);
    const { ramp: before } = await findHeld(app, place);
    if (before.status !== "running") throw wrongState("is paused already", "ramp-paused");
    const ramp: Ramp = { ...before, status: "paused", reason: "person", nextAt: null };
    return { changes: [putRamp(place.project, before, ramp, "ramp.paused")], result: ramp };
  });
}

/**
 * Continues a paused ramp from the share that the flag has now. Throws `not_found`, `conflict` if it is not paused, if
 * the rule is of another kind or if the next step would not raise the share, and like `requireChangeable`.
 */
export function resumeRamp(app: FlagsApp, caller: Caller, place: FlagPlace): Promise<Ramp> {
  requireScope(caller, "flags:write", place);
  return change(app, caller, async ({ at }): Promise<Plan<FlagChange, Ramp>> => {
    await requireChangeable(app, caller, place);
    const { ramp: before, isGuarded, flag } = await findHeld(app, place);
    if (before.status !== "paused") throw wrongState("is running already", "ramp-running");
    const next = nextStep(before)!;
    const share = shareNow(flag!, before.variant);
    if (share >= next.share)
      throw wrongState(
        `would not rise: ${before.variant} has ${share} % now, and the next step is ${next.share} %`,
        "ramp-share",
      );
    const due = Math.max(dueAt(before)!, at);
    const left = rampedState(flag!);
    const ramp: Ramp = { ...before, status: "running", reason: null, nextAt: due, share, left, isGuarded };
    return { changes: [putStep(app, place.project, before, ramp)], result: ramp };
  });
}

/**
 * Makes the next step of a running ramp at once, or with `isToEnd` all that are left; a step after it is due a full pace later.
 * Throws `not_found`, `conflict` if it is not running, `invalid` for segments that do not fit, and like `requireChangeable`.
 */
export function advanceRamp(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  { isToEnd }: { isToEnd: boolean },
): Promise<Ramp> {
  requireScope(caller, "flags:write", place);
  return change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, Ramp>> => {
    await requireChangeable(app, caller, place);
    const { ramp: before, isGuarded } = await findHeld(app, place);
    if (before.status !== "running") throw wrongState("is paused: resume it first", "ramp-paused");
    const flag = (await app.store.flags.find(place))!;
    let step = stepped({ ...before, isGuarded }, flag, at);
    if (isToEnd) while (nextStep(step.ramp)) step = stepped(step.ramp, step.record, at);
    const { ramp, record } = step;
    await requireFit([record], await segmentsIn(app, place), place.environment);
    return {
      changes: [
        because(stepOf(place, flag, { ...record, revision: version + 1 }), "a step of the ramp"),
        putStep(app, place.project, before, ramp, "ramp.stepped", ...endOf(ramp)),
      ],
      result: ramp,
    };
  });
}

/** Throws `conflict` for a rule that a ramp cannot go on with. */
function shareNow(flag: NonNullable<FoundRamp["flag"]>, variant: string): number {
  try {
    return readShare(asUnreached(flag, variant), variant).share;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw wrongState(`cannot go on: ${error.message}`, "ramp-share");
  }
}

/**
 * Ends a ramp and restores the share, default and state that the flag had before, unless `keep` is set or they were
 * changed since. Throws `not_found`, `conflict` for a ramp that has ended, and like `requireChangeable`.
 */
export function abortRamp(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  { keep }: { keep: boolean },
): Promise<Ramp> {
  requireScope(caller, "flags:write", place);
  return change(app, caller, async (moment): Promise<Plan<FlagChange, Ramp>> => {
    await requireChangeable(app, caller, place);
    const found = await findHeld(app, place);
    const { restored, ramp } = await aborted(app, found, moment, { keep, reason: "person" });
    return { changes: [...restored, putRamp(place.project, found.ramp, ramp, "ramp.ended")], result: ramp };
  });
}

/** A ramp that is aborted, and the changes of its flag before it: none with `keep`, or if it was changed since. */
export async function aborted(
  app: FlagsApp,
  { project, ramp: before, flag }: FoundRamp,
  { version, at }: Moment,
  { keep = false, reason }: { keep?: boolean; reason: RampReason },
): Promise<{ ramp: Ramp; restored: FlagChange[] }> {
  const ended: Ramp = { ...before, status: "aborted", reason, nextAt: null };
  const place = { project, environment: before.environment, flag: before.flag };
  const current = keep || !isAsLeft(flag!, before.left) ? undefined : await app.store.flags.find(place);
  if (!current) return { ramp: ended, restored: [] };
  const { enabled } = before.before;
  const rules = withState(current.rules, before.before);
  const { record, result } = withRecord(place.flag, current, { enabled, rules }, at);
  await requireFit([record], await segmentsIn(app, place), place.environment);
  return {
    ramp: { ...ended, share: before.before.share, left: rampedState(record) },
    restored: result === "unchanged" ? [] : [putFlag(place, current, { ...record, revision: version + 1 })],
  };
}

/** The ramp that holds a flag. Throws `not_found`, and `conflict` for one that has ended. */
async function findHeld(app: FlagsApp, place: FlagPlace): Promise<FoundRamp> {
  const found = await app.store.ramps.find(place);
  if (!found || found.flag === null) {
    if (!(await app.store.flags.find(place))) throw noSuchFlag(place.flag);
    throw noSuchRamp(place);
  }
  const ramp = settled(found);
  if (!isHeld(ramp)) throw wrongState(`was ${ramp.status}`, "ramp-ended");
  return { ...found, ramp };
}

function wrongState(state: string, reason: string): AppError {
  return new AppError("conflict", `this ramp ${state}`, { reason });
}

/** The changes that end the ramps of a flag that is deleted. */
export async function endRampsOf(
  { store }: Pick<FlagsApp, "store">,
  project: string,
  flag: string,
): Promise<FlagChange[]> {
  const found = await store.ramps.ofFlag(project, flag);
  return found.flatMap((each) => endOfDeleted(project, settled(each)));
}

/** The change that ends the ramp of a flag that is deleted; none for one that has ended. */
export function endOfDeleted(project: string, ramp: Ramp): FlagChange[] {
  if (!isHeld(ramp)) return [];
  const ended: Ramp = { ...ramp, status: "aborted", reason: "deleted", nextAt: null };
  return [putRamp(project, ramp, ended, "ramp.ended")];
}
