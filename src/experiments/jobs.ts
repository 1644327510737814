import type { Job } from "../base/jobs.ts";
import { CLEAR_MS, FLUSH_MS, GUARD_MS, VISITORS_A_STEP, WATCH_MS } from "./limits.ts";
import type { Measuring } from "./measuring.ts";
import type { ExperimentsApp } from "./store.ts";

/** The name of the job that counts users who were noted, which {@link Measuring.onNoted} wakes. */
export const EXPOSURES = "exposures";

/** The jobs of experiments in one process of a server. */
export function experimentJobs(
  app: ExperimentsApp & { measuring: Measuring },
  report: (text: string) => void,
): Job[] {
  const { measuring } = app;
  const exposures = {
    name: EXPOSURES,
    every: FLUSH_MS,
    runsOnWake: true,
    run: () => measuring.flush(),
  } as const;
  return [watchJob(app, report), guardsJob(app, report), exposures, visitorsJob(app)];
}

/** A job that pauses experiments that cannot go on. */
function watchJob(app: ExperimentsApp, report: (text: string) => void): Job {
  let checked: number | null = null;
  return {
    name: "experiments",
    every: WATCH_MS,
    runsOnWake: true,
    async run() {
      const { version } = await app.store.readVersion();
      if (version === checked) return;
      if (await app.store.experiments.findChanged())
        await (await import("./guards/guarding.ts")).pauseChanged(app, report);
      checked = version;
    },
  };
}

/** A job that reads guards, and what is decided. */
function guardsJob(app: ExperimentsApp, report: (text: string) => void): Job {
  let isLive = false;
  return {
    name: "guards",
    every: GUARD_MS,
    runsOnWake: true,
    // Visitors who are counted wake no job.
    mayRest: () => !isLive,
    async run() {
      isLive = (await app.store.measurements.live()).length > 0;
      if (isLive) isLive = await (await import("./guards/guarding.ts")).readGuards(app, report);
    },
  };
}

/** A job that removes the visitors of measurements that have ended. */
function visitorsJob({ store }: Pick<ExperimentsApp, "store">): Job {
  return {
    name: "visitors",
    every: CLEAR_MS,
    async run() {
      while (await store.measurements.clear(VISITORS_A_STEP));
    },
  };
}
