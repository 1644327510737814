import { BY_ITSELF } from "../../access/audit/audit.ts";
import { change } from "../../access/door.ts";
import { parseGuard } from "../../flags/ramps/guard.ts";
import type { FiredGuard } from "../change.ts";
import type { Experiment, ExperimentCounts, ExperimentPlace } from "../experiment.ts";
import { endWith } from "../lifecycle.ts";
import { putExperiment, troubleOf } from "../plan.ts";
import { countsNow, resultsOf } from "../results.ts";
import { type Counts, isPastControl } from "../statistics.ts";
import type { ExperimentsApp } from "../store.ts";

/** Pauses or rolls back experiments whose guards fire, and notices which are decided. */
export async function readGuards(app: ExperimentsApp, report: (text: string) => void): Promise<void> {
  const places = new Map(
    (await app.store.measurements.live()).map(({ project, environment }) => [
      JSON.stringify([project, environment]),
      { project, environment },
    ]),
  );
  for (const { project, environment } of places.values())
    for (const { experiment } of await app.store.experiments.holding(project, environment)) {
      const place = { project, environment, experiment: experiment.name };
      const fired = await readOne(app, place);
      if (fired !== null) report(`experiment ${experiment.name} in ${project}/${environment}: ${fired}`);
    }
}

/** Returns what was done; null for nothing. */
function readOne(app: ExperimentsApp, place: ExperimentPlace): Promise<string | null> {
  return change(app, BY_ITSELF, async (moment) => {
    const nothing = { changes: [], result: null };
    const found = await app.store.experiments.find(place);
    if (found?.experiment.status !== "running" || troubleOf(found) !== null) return nothing;
    const { project, experiment } = found;
    const counts = await countsNow(app, project, experiment);
    if (!counts) return nothing;
    const fired = findFired(experiment, counts);
    if (fired === null) {
      const { winner, ratio } = resultsOf(experiment, counts, moment.at);
      if (experiment.isDecided || (winner === null && !ratio.alarm)) return nothing;
      const decided: Experiment = { ...experiment, isDecided: true };
      return { changes: [putExperiment(project, experiment, decided, ["experiment.decided"])], result: null };
    }
    const { environment, flag } = experiment;
    const flagPlace = { project, environment, flag };
    const record = await app.store.flags.find(flagPlace);
    const result = `the guard "${fired.guard}" fired: ${fired.action}`;
    if (experiment.onGuard === "pause" || !record) {
      const paused: Experiment = { ...experiment, status: "paused", reason: "guard" };
      return {
        changes: [{ ...putExperiment(project, experiment, paused, ["experiment.paused"]), fired }],
        result,
      };
    }
    const { changes } = endWith({ project, experiment, place: flagPlace, record }, moment, "guard");
    return {
      changes: changes.map((each) => (each.change === "putExperiment" ? { ...each, fired } : each)),
      result,
    };
  });
}

/** The first guard that fires, of any variant against the control. */
function findFired(
  { control, guards, onGuard: action, split }: Experiment,
  counts: ExperimentCounts,
): FiredGuard | null {
  const others = Object.keys(split).filter((variant) => variant !== control);
  const countsOf = (variant: string, metric: string): Counts => {
    const { visitors = 0, conversions = {} } = counts.variants[variant] ?? {};
    return { visitors, conversions: conversions[metric] ?? 0 };
  };
  for (const guard of guards) {
    const { metric, ...limit } = parseGuard(guard);
    for (const each of others) {
      const [own, against] = [countsOf(each, metric), countsOf(control, metric)];
      if (isPastControl(limit, against, own, guards.length * others.length))
        return { guard, action, variant: own, control: against };
    }
  }
  return null;
}
