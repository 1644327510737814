import type { Card } from "../base/kinds/kinds.ts";
import { GUARDED } from "../flags/ramps/ramp-card.ts";
import { EXPERIMENT_LIMITS } from "./limits.ts";

/** The course of an experiment, for everything that creates or changes one. */
export const DESIGN = {
  /** The first one decides. */
  metrics: {
    kind: { is: "names", of: "metrics", most: EXPERIMENT_LIMITS.metrics, longest: 400 },
    option: [
      "metric <metric>",
      "metric: submissions:<form> or event:<name>; repeatable, the first one decides",
    ],
  },
  control: {
    kind: { is: "named", what: "a variant" },
    option: [
      "control <variant>",
      "variant to compare the others with (default: the default variant of the flag)",
    ],
  },
  split: {
    kind: { is: "weights" },
    option: ["split <weights>", "weight of each variant, such as off:50,on:50 (default: equal weights)"],
  },
  /** Days before which there is no winner. */
  minDays: {
    kind: { is: "count", least: 0, most: EXPERIMENT_LIMITS.minDays },
    default: 7,
    option: ["min-days <days>", "number of days before a winner is declared"],
  },
  hypothesis: {
    kind: { is: "area", most: EXPERIMENT_LIMITS.hypothesis },
    default: null,
    option: ["hypothesis <text>", "what you expect, and why"],
  },
  ...GUARDED,
} as const satisfies Card;
