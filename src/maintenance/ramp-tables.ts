import { type PortableTable, setup } from "./column.ts";

/** The table of ramps, behind that of environments. */
export const RAMP_TABLES = {
  ramps: setup("environment_id flag", {
    environment_id: "integer",
    flag: "text slug",
    variant: "text",
    steps: "text rampSteps",
    every: "integer rampEvery",
    start_at: "integer? time",
    status: "text rampStatus",
    reason: "text? rampReason",
    next_at: "integer? time",
    left_state: "text rampState",
    before_state: "text rampState",
    guarded: "integer bit",
    guards: "text list",
    on_guard: "text guardAction",
    who: "text",
    why: "text?",
    created_at: "integer time",
    revision: "integer count",
  }),
} satisfies Record<string, PortableTable>;
