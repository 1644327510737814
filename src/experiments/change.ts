import type { HistoryEntry } from "../access/history-entry.ts";
import type { FiredGuard } from "../flags/ramps/guard.ts";
import type { Experiment, ExperimentEvent } from "./experiment.ts";

type Recorded = { history: HistoryEntry | null };

/** A change of experiments, as the store applies it. */
export type ExperimentChange =
  /**
   * Stores an experiment. One that starts begins a measurement with `salt`, one that has ended ends it and keeps its counts.
   * `events` are for the targets of its project, with `members` besides those of every notice.
   */
  | ({
      change: "putExperiment";
      project: string;
      experiment: Experiment;
      events: readonly ExperimentEvent[];
      /** The salt of a measurement that begins, as hex. */
      salt: string | null;
      /** A guard that paused or ended it, for the targets of the project. */
      fired?: FiredGuard;
    } & Recorded)
  | ({ change: "deleteExperiment"; project: string; environment: string; experiment: string } & Recorded);
