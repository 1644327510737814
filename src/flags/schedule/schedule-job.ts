import type { Job } from "../../base/jobs.ts";
import { SCHEDULE_POLL_MS } from "../limits.ts";
import type { FlagsApp } from "../store.ts";

/**
 * Applies the changes that are due, one after the other, then the steps of ramps, and reports each change that fails and is
 * dropped, and each ramp that fails and is paused. The rules of flags are loaded only if there are any.
 */
export async function applyDue(app: FlagsApp, report: (text: string) => void): Promise<void> {
  await applyScheduled(app, report);
  if ((await app.store.ramps.nextAt()) !== null) await stepRamps(app, report);
}

async function applyScheduled(app: FlagsApp, report: (text: string) => void): Promise<void> {
  const next = await app.store.scheduled.nextAt();
  if (next !== null && next <= app.now()) await (await import("./schedule.ts")).applyChanges(app, report);
}

async function stepRamps(app: FlagsApp, report: (text: string) => void): Promise<void> {
  await (await import("../ramps/stepping.ts")).stepDue(app, report);
}

/** A job that applies changes and makes steps when they are due, including changes that other processes schedule. */
export function scheduleJob(app: FlagsApp, report: (text: string) => void): Job {
  let checked: number | null = null;
  return {
    name: "schedule",
    every: SCHEDULE_POLL_MS,
    runsOnWake: true,
    next: async () => earliest(await app.store.scheduled.nextAt(), await app.store.ramps.nextAt()),
    async run() {
      await applyScheduled(app, report);
      const { version } = await app.store.readVersion();
      const next = await app.store.ramps.nextAt();
      // A change of a flag may pause its ramp at once, and no other work of a ramp is due before its step.
      if (next === null || (version === checked && next > app.now())) return;
      await stepRamps(app, report);
      checked = version;
    },
  };
}

function earliest(...times: (number | null)[]): number | null {
  const due = times.filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
}
