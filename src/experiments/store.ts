import type { Page, PageQuery } from "../base/pages.ts";
import type { FlagsApp } from "../flags/store.ts";
import type { FlagPlace } from "../flags/flag.ts";
import type { FormsApp } from "../forms/store.ts";
import type { ChangeStore } from "../access/door.ts";
import type { FlagChange } from "../flags/change.ts";
import type { ExperimentChange } from "./change.ts";
import type { ExperimentCounts, ExperimentPlace, FoundExperiment } from "./experiment.ts";
import type { Measured } from "../forms/intake/measured.ts";
import type { MeasuredBatch, Measurement } from "./measurement.ts";

type ExperimentStore = {
  /** Throws `not_found` for the environment. */
  find(where: ExperimentPlace): Promise<FoundExperiment | undefined>;
  /** How many an environment has. Throws `not_found`. */
  count(project: string, environment: string): Promise<number>;
  /** By name. Throws `not_found`. */
  page(project: string, environment: string, query: PageQuery): Promise<Page<FoundExperiment>>;
  /** The experiments that hold a flag in some projects, or with null in all: at most `limit`, by when they began. */
  held(projects: readonly string[] | null, limit: number): Promise<FoundExperiment[]>;
  /** The experiments of an environment that hold a flag, by name. */
  holding(project: string, environment: string): Promise<FoundExperiment[]>;
  /** A running experiment whose flag or environment was changed since it was stored. */
  findChanged(): Promise<FoundExperiment | undefined>;
};

type MeasurementStore = {
  /** All that count now. */
  live(): Promise<Measurement[]>;
  /** All that have visitors, also while they are paused. */
  kept(): Promise<Measurement[]>;
  /** The counts of the measurement of a flag, or undefined. */
  counts(where: FlagPlace): Promise<ExperimentCounts | undefined>;
  /** Counts visitors, each once, as far as their measurements still run. Repeats change nothing. */
  count(measured: readonly Measured[]): Promise<void>;
  /**
   * The same for a batch, in one transaction and once for its key. Returns how many occurrences the batch, or the earlier one
   * with its key, counted, which is null for a key that came with other content, and whether it was an earlier one.
   */
  take(batch: MeasuredBatch): Promise<{ accepted: number | null; isRepeat: boolean }>;
  /** Takes visitors out, as if they had never come; the variant is ignored. */
  forget(visitors: readonly Pick<Measured, "measurement" | "visitor">[]): Promise<void>;
  /** Removes at most `limit` visitors of measurements that have ended. Returns whether any may be left. */
  clear(limit: number): Promise<boolean>;
};

export type ExperimentsStore = { experiments: ExperimentStore; measurements: MeasurementStore };

/** The part of the app that operations on experiments use. */
export type ExperimentsApp = FlagsApp &
  FormsApp & { store: ExperimentsStore & ChangeStore<FlagChange | ExperimentChange> };
