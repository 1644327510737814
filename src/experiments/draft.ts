import { recordOf } from "../base/kinds/records.ts";
import type { RampedState } from "../flags/ramps/ramp.ts";
import { DESIGN } from "./experiment-card.ts";
import type { Design, Experiment } from "./experiment.ts";
import { readSplit } from "./split.ts";

/** A design as callers give it. */
export type GivenDesign = Pick<Design, "flag" | "metrics"> & {
  [K in Exclude<keyof Design, "flag" | "metrics">]?: Design[K] | undefined;
};

/** Changes of a design. */
export type DesignPatch = { [K in Exclude<keyof Design, "flag">]?: Design[K] | undefined };

/** A new experiment on a flag, as a draft. Throws `invalid` for a design that does not fit the flag. */
export function newDraft(
  { environment, name }: Pick<Experiment, "environment" | "name">,
  given: GivenDesign,
  state: RampedState,
  by: Pick<Experiment, "who" | "why">,
  at: number,
): Experiment {
  return {
    environment,
    name,
    flag: given.flag,
    ...recordOf(DESIGN, given),
    ...readSplit(state, given),
    status: "draft",
    reason: null,
    startedAt: null,
    endedAt: null,
    left: null,
    before: null,
    isGuarded: false,
    isDecided: false,
    counts: null,
    ...by,
    createdAt: at,
  };
}

/** A draft with another design. Throws `invalid` for one that does not fit the flag. */
export function changedDraft(before: Experiment, patch: Partial<Design>, state: RampedState): Experiment {
  const after = { ...before, ...patch };
  return { ...after, ...readSplit(state, after) };
}
