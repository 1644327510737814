import type { Card } from "../../base/kinds/kinds.ts";
import { GUARD_ACTIONS } from "./ramp.ts";

/** The guards of a ramp or an experiment. */
export const GUARDED = {
  guards: {
    kind: { is: "phrases" },
    default: [],
    option: ["guard <guard>", "stop if a metric gets worse: 'event:error rises 0%'; repeatable"],
  },
  onGuard: {
    kind: { is: "choice", among: GUARD_ACTIONS, error: GUARD_ACTIONS.join(" or "), labels: {} },
    default: "pause",
    option: ["on-guard <action>", "action of a guard that fires"],
  },
} as const satisfies Card;
