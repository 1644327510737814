import { KiB, MiB } from "../base/bytes.ts";

/** Limits of experiments. */
export const EXPERIMENT_LIMITS = {
  /** Metrics of an experiment. */
  metrics: 10,
  /** Variants that an experiment compares. */
  variants: 20,
  /** The largest weight of a variant. */
  weight: 10_000,
  /** Days that `--min-days` takes at most. */
  minDays: 90,
  /** Characters of a hypothesis. */
  hypothesis: 2000,
  /** Experiments of an environment. Beyond: 409. */
  experiments: 1000,
  /** Visitors of a measurement. Beyond: not counted. */
  visitors: 1_000_000,
} as const;

/** Limits of a request with exposures and events. */
export const EVENT_LIMITS = {
  /** Bytes of a request with a browser key. Beyond: 413. */
  pageBody: 16 * KiB,
  /** Bytes of a request with a token. Beyond: 413. */
  serverBody: MiB,
  /** Exposures and events of a page in a request. */
  ofPage: 100,
  /** Entries of a server in a request. */
  ofServer: 1000,
  /** Characters of a variant, and of a `targetingKey`. */
  text: 1000,
} as const;

/** How often users who were noted are counted, experiments checked, and old visitors removed, in milliseconds. */
export const FLUSH_MS = 500;
export const WATCH_MS = 500;
export const CLEAR_MS = 10_000;

/** Visitors that are removed in one transaction. */
export const VISITORS_A_STEP = 5000;

/** How often guards and results are read, in milliseconds. */
export const GUARD_MS = 5000;
