import type { Experiment } from "../../../src/experiments/experiment.ts";
import { NOW } from "./records.ts";

export { NOW };

/** A draft of the experiment `hero` on a flag with the variants off and on. */
export function experimentOf(environment: string, flag: string, more: Partial<Experiment> = {}): Experiment {
  return {
    environment,
    name: "hero",
    flag,
    metrics: ["event:signup", "event:error"],
    control: "off",
    split: { off: 1, on: 1 },
    minDays: 7,
    hypothesis: "Ünder test",
    guards: [],
    onGuard: "pause",
    status: "draft",
    reason: null,
    startedAt: null,
    endedAt: null,
    left: null,
    before: null,
    isGuarded: false,
    isDecided: false,
    counts: null,
    who: "bob",
    why: null,
    createdAt: NOW,
    ...more,
  };
}
