import { BY_ITSELF } from "../access/audit/audit.ts";
import { change } from "../access/door.ts";
import type { Experiment, ExperimentPlace, FoundExperiment } from "./experiment.ts";
import { holdsFlag } from "./experiment.ts";
import { putExperiment, troubleOf } from "./plan.ts";
import type { ExperimentsApp } from "./store.ts";

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
