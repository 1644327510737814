import { isAsLeft } from "../flags/ramps/ramp-share.ts";
import type { RampReason } from "../flags/ramps/ramp.ts";
import type { ExperimentChange } from "./change.ts";
import {
  type Experiment,
  type ExperimentEvent,
  experimentState,
  type FoundExperiment,
  holdsFlag,
} from "./experiment.ts";

/** The change that stores an experiment, which the history records unless its state is the same. */
export function putExperiment(
  project: string,
  before: Experiment | undefined,
  experiment: Experiment,
  events: readonly ExperimentEvent[] = [],
  salt: string | null = null,
): ExperimentChange {
  const { environment, name } = experiment;
  const [was, is] = [before ? experimentState(before) : null, experimentState(experiment)];
  const history = { environment, kind: "experiment" as const, name, before: was, after: is };
  const isSame = was !== null && Bun.deepEquals(was, is, true);
  return { change: "putExperiment", project, experiment, events, salt, history: isSame ? null : history };
}

/** The change that deletes an experiment with its results. */
export function dropExperiment(project: string, before: Experiment): ExperimentChange {
  const { environment, name: experiment } = before;
  const history = {
    environment,
    kind: "experiment" as const,
    name: experiment,
    before: experimentState(before),
    after: null,
  };
  return { change: "deleteExperiment", project, environment, experiment, history };
}

/** Why a running experiment cannot go on; null if it can. */
export function troubleOf({ experiment, flag, isGuarded }: FoundExperiment): RampReason | null {
  // A flag of the same name that was created since is another flag.
  if (flag === null || flag.createdAt > experiment.startedAt!) return "deleted";
  if (experiment.status !== "running") return null;
  if (!isAsLeft(flag, experiment.left!)) return "changed";
  return isGuarded && !experiment.isGuarded ? "locked" : null;
}

/**
 * The present state of an experiment. A job pauses an experiment that cannot continue within a second; readers see it
 * as paused at once.
 */
export function settled(found: FoundExperiment): Experiment {
  const { experiment } = found;
  if (!holdsFlag(experiment)) return experiment;
  const reason = troubleOf(found);
  if (reason === null) return experiment;
  return { ...experiment, status: reason === "deleted" ? "ended" : "paused", reason };
}
