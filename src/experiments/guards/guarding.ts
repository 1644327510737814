import { BY_ITSELF } from "../../access/audit/audit.ts";
import { change, type Moment, type Plan } from "../../access/door.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { ExperimentChange } from "../change.ts";
import { type Experiment, type ExperimentPlace, type FoundExperiment, holdsFlag } from "../experiment.ts";
import { endWith } from "../lifecycle.ts";
import type { Measurement } from "../measurement.ts";
import { putExperiment, troubleOf } from "../plan.ts";
import { countsNow, resultsOf } from "../results.ts";
import type { ExperimentsApp } from "../store.ts";
import { findFired } from "./firing.ts";
import { readRamp } from "./ramp-guards.ts";

/**
 * Pauses or rolls back experiments and ramps whose guards fire, and notices which experiments are decided. Returns whether
 * anything is counted that may need that again.
 */
export async function readGuards(app: ExperimentsApp, report: (text: string) => void): Promise<boolean> {
  const live = await app.store.measurements.live();
  for (const [, [first]] of Map.groupBy(live, (each) => each.environmentKey)) {
    const { project, environment } = first!;
    for (const { experiment } of await app.store.experiments.holding(project, environment)) {
      const { name } = experiment;
      const fired = await readExperiment(app, { project, environment, experiment: name });
      if (fired !== null) report(`experiment ${name} in ${project}/${environment}: ${fired}`);
    }
  }
  for (const measurement of live) await reportRamp(app, measurement, report);
  return live.length > 0;
}

async function reportRamp(
  app: ExperimentsApp,
  measurement: Measurement,
  report: (text: string) => void,
): Promise<void> {
  const { project, environment, flag } = measurement;
  const fired = await readRamp(app, measurement);
  if (fired !== null) report(`ramp of flag ${flag} in ${project}/${environment}: ${fired}`);
}

type Firing = Plan<ExperimentChange | FlagChange, string | null>;
const NOTHING: Firing = { changes: [], result: null };

/** Returns what was done; null for nothing. */
async function readExperiment(app: ExperimentsApp, place: ExperimentPlace): Promise<string | null> {
  const plan = async (moment: Moment): Promise<Firing> => {
    const found = await app.store.experiments.find(place);
    if (found?.experiment.status !== "running" || troubleOf(found) !== null) return NOTHING;
    return planFired(app, found, moment);
  };
  // Most often nothing changes, and no write waits.
  const { version } = await app.store.readVersion();
  const { changes } = await plan({ version, at: app.now() });
  return changes.length === 0 ? null : change(app, BY_ITSELF, plan);
}

async function planFired(
  app: ExperimentsApp,
  { project, experiment }: FoundExperiment,
  moment: Moment,
): Promise<Firing> {
  const counts = await countsNow(app, project, experiment);
  if (!counts) return NOTHING;
  const { environment, flag, control, guards, onGuard, split, startedAt } = experiment;
  const others = Object.keys(split).filter((variant) => variant !== control);
  const guarded = { project, guards, onGuard, control, others, steps: 1, since: startedAt!, counts };
  const fired = await findFired(app, guarded);
  if (fired === null) {
    const { winner, ratio } = resultsOf(experiment, counts, moment.at);
    if (experiment.isDecided || (winner === null && !ratio.alarm)) return NOTHING;
    const decided: Experiment = { ...experiment, isDecided: true };
    return { changes: [putExperiment(project, experiment, decided, ["experiment.decided"])], result: null };
  }
  const flagPlace = { project, environment, flag };
  const record = await app.store.flags.find(flagPlace);
  const result = `the guard "${fired.guard}" fired: ${fired.action}`;
  if (onGuard === "pause" || !record) {
    const paused: Experiment = { ...experiment, status: "paused", reason: "guard" };
    return {
      changes: [{ ...putExperiment(project, experiment, paused, ["experiment.paused"]), fired }],
      result,
    } as Firing;
  }
  const { changes } = endWith({ project, experiment, place: flagPlace, record }, moment, "guard");
  return {
    changes: changes.map((each) => (each.change === "putExperiment" ? { ...each, fired } : each)),
    result,
  };
}

/** Pauses experiments whose flag was changed or whose environment was locked, and ends those whose flag was deleted. */
export async function pauseChanged(app: ExperimentsApp, report: (text: string) => void): Promise<void> {
  for (;;) {
    const found = await app.store.experiments.findChanged();
    if (!found) return;
    const { project, experiment } = found;
    const { environment, name } = experiment;
    const reason = await settleOne(app, { project, environment, experiment: name });
    if (reason !== null) report(`paused experiment ${name} in ${project}/${environment}: ${reason}`);
  }
}

/** Returns why the experiment cannot go on; null if it can, or another process was faster. */
function settleOne(app: ExperimentsApp, place: ExperimentPlace): Promise<string | null> {
  return change(app, BY_ITSELF, async ({ at }) => {
    const found = await app.store.experiments.find(place);
    if (!found || !holdsFlag(found.experiment)) return { changes: [], result: null };
    const { project, experiment } = found;
    const reason = troubleOf(found);
    if (reason === null) {
      // The change does not concern the experiment, which need not be checked again.
      const kept: Experiment = { ...experiment, isGuarded: found.isGuarded };
      return { changes: [putExperiment(project, experiment, kept)], result: null };
    }
    const after = unable(found, reason, at);
    const event = after.status === "ended" ? "experiment.ended" : "experiment.paused";
    return { changes: [putExperiment(project, experiment, after, [event])], result: REASONS[reason] };
  });
}

function unable({ experiment }: FoundExperiment, reason: Experiment["reason"], at: number): Experiment {
  if (reason === "deleted") return { ...experiment, status: "ended", reason, endedAt: at };
  return { ...experiment, status: "paused", reason };
}

const REASONS = {
  person: "a person did",
  changed: "its flag was changed",
  locked: "its environment was locked",
  guard: "a guard fired",
  deleted: "its flag was deleted",
} as const;
