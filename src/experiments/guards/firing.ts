import { type FiredGuard, parseGuard } from "../../flags/ramps/guard.ts";
import type { GuardAction } from "../../flags/ramps/ramp.ts";
import type { ExperimentCounts } from "../experiment.ts";
import { formOf } from "../metrics.ts";
import { type Counts, isBelowBaseline, isPastControl } from "../statistics.ts";
import type { ExperimentsApp } from "../store.ts";
import { readBaseline } from "./baseline.ts";

/** The guards of an experiment or a ramp, with the counts that they compare. */
export type Guarded = {
  project: string;
  guards: readonly string[];
  onGuard: GuardAction;
  control: string;
  /** The variants besides the control. */
  others: readonly string[];
  /** How often the counts begin. */
  steps: number;
  /** Since when it counts, in milliseconds since 1970. */
  since: number;
  counts: ExperimentCounts;
};

/** The first guard that fires, of any variant; null for none. */
export async function findFired(app: ExperimentsApp, guarded: Guarded): Promise<FiredGuard | null> {
  for (const guard of guarded.guards) {
    const compared = parseGuard(guard).isOfBaseline
      ? await findBelow(app, guarded, guard)
      : findPast(guarded, guard);
    if (compared) return { guard, action: guarded.onGuard, ...compared };
  }
  return null;
}

function findPast({ counts, control, guards, others, steps }: Guarded, guard: string) {
  const { metric, ...limit } = parseGuard(guard);
  const countsOf = (name: string): Counts => {
    const { visitors = 0, conversions = {} } = counts.variants[name] ?? {};
    return { visitors, conversions: conversions[metric] ?? 0 };
  };
  const against = countsOf(control);
  const variant = others
    .map(countsOf)
    .find((own) => isPastControl(limit, against, own, guards.length * others.length * steps));
  return variant && { variant, control: against };
}

async function findBelow(app: ExperimentsApp, { project, guards, steps, since }: Guarded, guard: string) {
  const { metric, percent } = parseGuard(guard);
  const form = await formOf(app, project, metric);
  if (!form) return undefined;
  const baseline = await readBaseline(app, form.key, since, app.now());
  if (!isBelowBaseline(percent, baseline, guards.length * steps)) return undefined;
  const before = baseline.hours.flat().reduce((sum, count) => sum + count, 0);
  return { variant: null, control: null, baseline: { since: baseline.since, before } } as const;
}
