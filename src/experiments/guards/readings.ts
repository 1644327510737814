import type { Caller } from "../../access/caller.ts";
import { hasScope } from "../../access/rights.ts";
import type { FlagPlace } from "../../flags/flag.ts";
import { parseGuard } from "../../flags/ramps/guard.ts";
import { type Ramp, restOf } from "../../flags/ramps/ramp.ts";
import { formOf } from "../metrics.ts";
import { BASELINE_WEEKS, type Counts, rateOf } from "../statistics.ts";
import type { ExperimentsApp } from "../store.ts";
import { countsIn, readBaseline } from "./firing.ts";

/** The numbers that a guard of a ramp compares now. */
export type GuardReading = { guard: string } & (
  | {
      is: "rate";
      /** Users of the variant and of the default, since the last step. */
      own: Counts;
      control: Counts;
      /** The rate at which the guard may fire, from 0; null while no user has the default. */
      limit: number | null;
    }
  | {
      is: "submissions";
      /** Submissions in each hour since the last step, and the number in each below which the guard may fire. */
      hours: number[];
      limits: number[];
    }
);

/**
 * Reads what the guards of a ramp compare. A guard against earlier weeks is left out for a form that no longer exists or
 * that the caller may not read. Throws `not_found` for the environment.
 */
export async function readGuardsOf(
  app: ExperimentsApp,
  place: FlagPlace,
  ramp: Ramp,
  caller: Caller,
): Promise<GuardReading[]> {
  if (ramp.guards.length === 0) return [];
  const since = ramp.steps.findLast(({ doneAt }) => doneAt !== null)?.doneAt ?? null;
  const counts = await app.store.measurements.counts(place);
  const readings: GuardReading[] = [];
  for (const guard of ramp.guards) {
    const { metric, direction, percent, isOfBaseline } = parseGuard(guard);
    const factor = 1 + ((direction === "rises" ? 1 : -1) * percent) / 100;
    if (!isOfBaseline) {
      if (!counts) continue;
      const control = countsIn(counts, restOf(ramp), metric);
      const rate = rateOf(control);
      const limit = rate === null ? null : rate * factor;
      readings.push({ guard, is: "rate", own: countsIn(counts, ramp.variant, metric), control, limit });
      continue;
    }
    const form = since === null ? undefined : await formOf(app, place.project, metric);
    if (!form || !hasScope(caller, "forms:read", { project: form.project })) continue;
    const { now: hours, hours: before } = await readBaseline(app, form.key, since!, app.now());
    const limits = before.map(
      (weeks) => (weeks.reduce((all, each) => all + each, 0) / BASELINE_WEEKS) * factor,
    );
    readings.push({ guard, is: "submissions", hours, limits });
  }
  return readings;
}
