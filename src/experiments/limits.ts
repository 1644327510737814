import { KiB, MiB } from "../base/bytes.ts";

/** Limits of experiments. */
export const EXPERIMENT_LIMITS = {
  metrics: 10,
  variants: 20,
  /** The largest weight of a variant. */
  weight: 10_000,
  minDays: 90,
  /** Characters of a hypothesis. */
  hypothesis: 2000,
  /** Experiments of an environment. */
  experiments: 1000,
  /** Visitors of a measurement: later ones are not counted. */
  visitors: 1_000_000,
} as const;

/** Limits of a request with exposures and events. */
export const EVENT_LIMITS = {
  /** Bytes of the body and entries, of a page and of a server. */
  pageBody: 16 * KiB,
  serverBody: MiB,
  ofPage: 100,
  ofServer: 1000,
  /** Characters of a variant and of a `targetingKey`. */
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
