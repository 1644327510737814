import type { Card } from "../base/kinds/kinds.ts";
import { GUARDED, RAMP } from "../flags/ramps/ramp-card.ts";
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
    label: "Control",
    hint: "The variant that others are compared with. Empty: the default of the flag.",
  },
  split: {
    kind: { is: "weights" },
    option: ["split <weights>", "weight of each variant, such as off:50,on:50 (default: equal weights)"],
    label: "Split",
    hint: "A weight for each variant, such as off:50,on:50. Empty: all alike.",
  },
  /** Days before a winner is declared. */
  minDays: {
    kind: { is: "count", least: 0, most: EXPERIMENT_LIMITS.minDays },
    default: 7,
    option: ["min-days <days>", "number of days before a winner is declared"],
    label: "Days before there is a winner",
    hint: "A week evens out its days.",
  },
  hypothesis: {
    kind: { is: "area", most: EXPERIMENT_LIMITS.hypothesis },
    default: null,
    option: ["hypothesis <text>", "what you expect, and why"],
    label: "Hypothesis",
    hint: `What you expect, and why. At most ${EXPERIMENT_LIMITS.hypothesis.toLocaleString("en")} characters.`,
  },
  ...GUARDED,
} as const satisfies Card;

/** The end of an experiment that serves one variant to everyone, at once or by a ramp. */
export const SHIP = {
  variant: {
    kind: { is: "named", what: "the variant for everyone" },
    required: true,
    option: ["variant <variant>", "variant that becomes the default"],
  },
  to: {
    kind: { is: "shares" },
    option: ["to <percents>", "shares of a ramp, such as 75,100 (default: everyone at once)"],
    label: "Shares of a ramp",
    hint: "In percent, such as 75, 100. Empty: everyone at once.",
    meaning: "Shares of a ramp, in percent. Default: the variant is the default at once.",
  },
  every: {
    kind: RAMP.every.kind,
    option: ["every <span>", "time from one share of a ramp to the next (default: 1d)"],
    label: "A step every",
    hint: "Such as 30m, 12h or 1d",
    suggested: "1d",
  },
} as const satisfies Card;
