import type { Caller } from "../access/caller.ts";
import { change, type Moment, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { FlagChange } from "../flags/change.ts";
import { type FlagPlace, type FlagRecord, noSuchFlag } from "../flags/flag.ts";
import { because, putFlag } from "../flags/plan.ts";
import { SALT_BYTES } from "../flags/ramps/guard.ts";
import { isGuarded, settled as settledRamp, withRecord } from "../flags/ramps/ramp-plan.ts";
import { isAsLeft, rampedState, withState } from "../flags/ramps/ramp-share.ts";
import { flagHeld, isHeld } from "../flags/ramps/ramp.ts";
import { requireSound, stepOf } from "../flags/ramps/ramps.ts";
import { getEnvironment } from "../projects/environments.ts";
import { requireChangeable } from "../projects/locks.ts";
import type { ExperimentChange } from "./change.ts";
import { type Experiment, type ExperimentPlace, holdsFlag } from "./experiment.ts";
import { findExperiment, requireUnlocked } from "./experiments.ts";
import { putExperiment, settled } from "./plan.ts";
import { writeSplit } from "./split.ts";
import type { ExperimentsApp } from "./store.ts";

type Made = Plan<ExperimentChange | FlagChange, Experiment>;

/** An experiment with its flag in the environment. */
export type Held = { project: string; experiment: Experiment; place: FlagPlace; record: FlagRecord };

/** Plans a change of an experiment: throws `not_found` and as `requireChangeable`. */
export function changeHeld(
  app: ExperimentsApp,
  caller: Caller,
  where: ExperimentPlace,
  plan: (held: Held, moment: Moment) => Promise<Made>,
): Promise<Experiment> {
  requireScope(caller, "flags:write", where);
  return change(app, caller, async (moment): Promise<Made> => {
    await requireChangeable(app, caller, { project: where.project, environment: where.environment });
    const found = await findExperiment(app, where);
    const experiment = settled(found);
    const place = { project: where.project, environment: where.environment, flag: experiment.flag };
    const record = await app.store.flags.find(place);
    if (!record) throw noSuchFlag(experiment.flag);
    return plan({ project: found.project, experiment, place, record }, moment);
  });
}

/**
 * Starts a draft: writes the split, turns the flag on, and begins to count. Throws `conflict` unless it is a draft,
 * with the reason `flag-held` if a ramp or another experiment holds the flag, `invalid` for a rule that cannot be
 * split, `not_found`, and like `requireChangeable`.
 */
export function startExperiment(
  app: ExperimentsApp,
  caller: Caller,
  where: ExperimentPlace,
): Promise<Experiment> {
  return changeHeld(app, caller, where, async ({ project, experiment, place, record }, { version, at }) => {
    if (experiment.status !== "draft") throw wrongState(experiment, "is started once");
    await requireFree(app, place);
    const next = await withSplit(app, { project, experiment, place, record }, at);
    const started: Experiment = {
      ...next.experiment,
      status: "running",
      // Not before its flag, which a process whose clock is ahead may have created.
      startedAt: Math.max(at, record.createdAt),
      before: rampedState(record),
    };
    const salt = Buffer.from(app.random(SALT_BYTES)).toString("hex");
    return {
      changes: [
        ...flagChanges(place, record, next.record, version, `experiment ${experiment.name} started`),
        putExperiment(project, experiment, started, ["experiment.started"], salt),
      ],
      result: started,
    };
  });
}

/** Throws `conflict` for a flag that a ramp or another experiment holds. */
async function requireFree({ store }: ExperimentsApp, place: FlagPlace): Promise<void> {
  const ramp = await store.ramps.find(place);
  if (ramp && isHeld(settledRamp(ramp))) throw flagHeld(place, "a ramp");
  const name = await store.ramps.experimentOn(place);
  if (name !== undefined) throw flagHeld(place, `the experiment "${name}"`);
}

/** The flag with the split, and the experiment that has left it so. */
async function withSplit(
  app: ExperimentsApp,
  { experiment, place, record: before }: Held,
  at: number,
): Promise<{ experiment: Experiment; record: FlagRecord }> {
  const environment = await getEnvironment(app, place.project, place.environment);
  const rules = writeSplit(before, experiment);
  const { record } = withRecord(place.flag, before, { enabled: true, rules }, at);
  await requireSound(app, place, before, record);
  const held = { left: rampedState(record), isGuarded: isGuarded(environment) };
  return { experiment: { ...experiment, ...held }, record };
}

/** The change of a flag that belongs to that of its experiment; none where it is the same. */
function flagChanges(
  place: FlagPlace,
  before: FlagRecord,
  record: FlagRecord,
  version: number,
  cause: string,
): FlagChange[] {
  const isSame = before.enabled === record.enabled && before.rules === record.rules;
  return isSame ? [] : [because(stepOf(place, before, { ...record, revision: version + 1 }), cause)];
}

/**
 * Pauses an experiment, so that nothing is counted. Needs no approval, because it does not change the flag. Throws
 * `not_found`, `conflict` unless it is running, and like `requireChangeable` for a lock.
 */
export function pauseExperiment(
  app: ExperimentsApp,
  caller: Caller,
  where: ExperimentPlace,
): Promise<Experiment> {
  requireScope(caller, "flags:write", where);
  return change(app, caller, async (): Promise<Made> => {
    await requireUnlocked(app, caller, where);
    const found = await findExperiment(app, where);
    const before = settled(found);
    if (before.status !== "running") throw wrongState(before, "is paused while it runs");
    const paused: Experiment = { ...before, status: "paused", reason: "person" };
    return {
      changes: [putExperiment(found.project, before, paused, ["experiment.paused"])],
      result: paused,
    };
  });
}

/** Lets a paused experiment go on, with its split. Throws as {@link startExperiment}, `conflict` unless it is paused. */
export function resumeExperiment(
  app: ExperimentsApp,
  caller: Caller,
  where: ExperimentPlace,
): Promise<Experiment> {
  return changeHeld(app, caller, where, async (held, { version, at }) => {
    const { project, experiment, place, record } = held;
    if (experiment.status !== "paused") throw wrongState(experiment, "is resumed while it is paused");
    const next = await withSplit(app, held, at);
    const running: Experiment = { ...next.experiment, status: "running", reason: null };
    return {
      changes: [
        ...flagChanges(place, record, next.record, version, `experiment ${experiment.name} resumed`),
        putExperiment(project, experiment, running),
      ],
      result: running,
    };
  });
}

/**
 * Ends an experiment, and gives the flag the rule, default and state from before it, unless these were changed since. Throws
 * `not_found`, `conflict` unless it holds its flag, and as `requireChangeable`.
 */
export function stopExperiment(
  app: ExperimentsApp,
  caller: Caller,
  where: ExperimentPlace,
): Promise<Experiment> {
  return changeHeld(app, caller, where, async ({ project, experiment, place, record }, { version, at }) => {
    requireHolding(experiment);
    return endWith({ project, experiment, place, record }, { version, at }, null);
  });
}

/** The changes that end an experiment and restore its flag; `reason` is null where a person ends it. */
export function endWith(
  { project, experiment, place, record: current }: Held,
  { version, at }: Moment,
  reason: Experiment["reason"],
): Made {
  const ended: Experiment = { ...experiment, status: "ended", reason, endedAt: at };
  const put = putExperiment(project, experiment, ended, ["experiment.ended"]);
  if (!isAsLeft(current, experiment.left!)) return { changes: [put], result: ended };
  const { enabled } = experiment.before!;
  const rules = withState(current.rules, experiment.before!);
  const { record, result } = withRecord(place.flag, current, { enabled, rules }, at);
  const restored = { ...ended, left: rampedState(record) };
  if (result === "unchanged") return { changes: [put], result: ended };
  return {
    changes: [
      because(
        putFlag(place, current, { ...record, revision: version + 1 }),
        `experiment ${experiment.name} ended`,
      ),
      putExperiment(project, experiment, restored, ["experiment.ended"]),
    ],
    result: restored,
  };
}

/** Throws `conflict` for one that does not hold its flag. */
export function requireHolding(experiment: Experiment): void {
  if (!holdsFlag(experiment)) throw wrongState(experiment, "ends once it was started");
}

function wrongState({ name, status }: Experiment, rule: string): AppError {
  const now = status === "draft" ? "a draft" : status;
  return new AppError("conflict", `the experiment "${name}" is ${now}: it ${rule}`, {
    reason: "experiment-state",
  });
}
