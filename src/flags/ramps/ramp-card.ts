import type { Card } from "../../base/kinds/kinds.ts";
import { RAMP_LIMITS } from "../limits.ts";

export const GUARD_ACTIONS = ["pause", "rollback"] as const;

export type GuardAction = (typeof GUARD_ACTIONS)[number];

/** The guards of a ramp or an experiment. */
export const GUARDED = {
  guards: {
    kind: { is: "phrases" },
    default: [],
    option: ["guard <guard>", "stop if a metric gets worse: 'event:error rises 0%'; repeatable"],
    meaning: "Such as `event:error rises 0%` or `submissions:contact falls 20%`.",
  },
  onGuard: {
    kind: { is: "choice", among: GUARD_ACTIONS, error: GUARD_ACTIONS.join(" or "), labels: {} },
    default: "pause",
    option: ["on-guard <action>", "action of a guard that fires"],
  },
} as const satisfies Card;

/** The shares of a ramp. */
const SHARES = {
  to: {
    kind: { is: "shares" },
    required: true,
    option: ["to <percents>", "rising shares, such as 1,10,50,100; with 100 the variant becomes the default"],
    meaning: "Shares in percent, rising, with two decimals at most. 100 makes the variant the default.",
  },
  every: {
    kind: { is: "seconds", least: RAMP_LIMITS.least, most: RAMP_LIMITS.most },
    required: true,
    option: ["every <span>", "time from one step to the next: 30m, 12h, 1d"],
    meaning: "Seconds from one step to the next.",
  },
} as const satisfies Card;

const VARIANT = {
  kind: { is: "named", what: "the variant whose share grows" },
  required: true,
  option: ["variant <variant>", "variant whose share grows; a flag without variants gets on and off"],
  meaning: "The variant whose share grows; a flag without variants gets `on` and `off`.",
} as const;

/** The fields of a ramp that are kept as they are given. */
export const COURSE = { variant: VARIANT, every: SHARES.every, ...GUARDED } as const satisfies Card;

/** The options of a change that goes out by a ramp. */
export const RAMPED = {
  ramp: {
    kind: SHARES.to.kind,
    option: ["ramp <percents>", "let the change go out by a ramp, which turns the flag on: 1,10,50,100"],
  },
  every: {
    kind: SHARES.every.kind,
    option: ["every <span>", "time from one step of the ramp to the next (default: 1d)"],
  },
  ...GUARDED,
} as const satisfies Card;

/** The fields of a new ramp. */
export const RAMP = {
  variant: VARIANT,
  ...SHARES,
  start: {
    kind: { is: "time", isLater: true },
    option: ["start <time>", "time of the first step: ISO 8601, or a duration such as 2h (default: now)"],
    meaning: "When the first step is due. Default: at once.",
  },
  /** The shares are of those for whom it holds: all shares, or with `thenEveryone` the first. */
  within: {
    kind: { is: "condition" },
    option: ["within <condition>", "shares of those for whom it holds, such as 'segment staff'"],
    meaning: "The condition that users meet to count in the share, in JSONLogic. Default: all users count.",
  },
  thenEveryone: {
    kind: { is: "switch" },
    option: ["then-everyone", "only the first share is within the condition"],
    meaning: "Whether only the first share is within the condition.",
  },
  ...GUARDED,
} as const satisfies Card;
