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
