import { BY_ITSELF } from "../../access/audit/audit.ts";
import type { Caller } from "../../access/caller.ts";
import { change, type Moment, type Plan } from "../../access/door.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { FlagPlace } from "../../flags/flag.ts";
import { putRamp } from "../../flags/plan.ts";
import { troubleOf } from "../../flags/ramps/ramp-plan.ts";
import type { Ramp, RampStart } from "../../flags/ramps/ramp.ts";
import { aborted, startRamp } from "../../flags/ramps/ramps.ts";
import type { Measurement } from "../measurement.ts";
import { requireForms } from "../metrics.ts";
import type { ExperimentsApp } from "../store.ts";
import { findFired } from "./firing.ts";

/** As `startRamp`; throws also as {@link requireForms} for the forms of its guards. */
export async function startGuardedRamp(
  app: ExperimentsApp,
  caller: Caller,
  place: FlagPlace,
  plan: RampStart,
  expected: number | null = null,
): Promise<Ramp> {
  await requireForms(app, caller, place.project, { guards: plan.guards ?? [] });
  return startRamp(app, caller, place, plan, expected);
}

type Firing = Plan<FlagChange, string | null>;
const NOTHING: Firing = { changes: [], result: null };

/** Pauses or aborts the ramp of a measurement if a guard of it fires. Returns what was done; null for nothing. */
export async function readRamp(
  app: ExperimentsApp,
  { id, project, environment, flag, variants, startedAt }: Measurement,
): Promise<string | null> {
  const place = { project, environment, flag };
  const plan = async (moment: Moment): Promise<Firing> => {
    const found = await app.store.ramps.find(place);
    if (found?.ramp.status !== "running" || troubleOf(found) !== null) return NOTHING;
    // Another step counts since, by another measurement.
    const live = await app.store.measurements.live();
    const counts = await app.store.measurements.counts(place);
    if (!counts || !live.some((each) => each.id === id)) return NOTHING;
    const { ramp } = found;
    const [control = "", ...others] = variants;
    const steps = ramp.steps.filter(({ share }) => share < 100).length;
    const { guards, onGuard } = ramp;
    const fired = await findFired(app, {
      project,
      guards,
      onGuard,
      control,
      others,
      steps,
      since: startedAt,
      counts,
    });
    if (fired === null) return NOTHING;
    const result = `the guard "${fired.guard}" fired: ${fired.action}`;
    if (onGuard === "pause") {
      const paused: Ramp = { ...ramp, status: "paused", reason: "guard", nextAt: null };
      return { changes: [firedBy(putRamp(project, ramp, paused, "ramp.paused"), fired)], result };
    }
    const { ramp: ended, restored } = await aborted(app, found, moment, { reason: "guard" });
    return {
      changes: [...restored, firedBy(putRamp(project, ramp, ended, "ramp.ended"), fired)],
      result,
    };
  };
  const { version } = await app.store.readVersion();
  const { changes } = await plan({ version, at: app.now() });
  return changes.length === 0 ? null : change(app, BY_ITSELF, plan);
}

function firedBy(
  change: FlagChange,
  fired: NonNullable<(FlagChange & { change: "putRamp" })["fired"]>,
): FlagChange {
  return { ...change, fired } as FlagChange;
}
