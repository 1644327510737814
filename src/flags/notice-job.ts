import type { Job } from "../base/jobs.ts";
import { HOUR_MS } from "../base/days.ts";
import { AppError } from "../base/errors.ts";
import { SCHEDULE_POLL_MS } from "./limits.ts";
import type { FlagsApp } from "./store.ts";

/** Flags that expire in one transaction. */
const STEP = 100;

/**
 * Job that sends notices about flags that have expired or become stale. It runs every hour and when a flag expires.
 * `queued` is called when deliveries may have been queued.
 */
export function flagNoticesJob(app: FlagsApp, queued: () => void): Job {
  const { flagNotices } = app.store;
  let checkedAt = -Infinity;
  return {
    name: "flag notices",
    every: SCHEDULE_POLL_MS,
    next: () => flagNotices.nextExpiry(),
    async run() {
      const due = await flagNotices.nextExpiry();
      const projects = due !== null && due <= app.now() ? await expireDue(app) : new Set<string>();
      if (projects.size > 0) queued();
      const isDue = Math.abs(app.now() - checkedAt) >= HOUR_MS;
      if (!isDue && projects.size === 0) return;
      const listening = await flagNotices.listening();
      const checked = isDue ? listening : listening.filter((project) => projects.has(project));
      for (const project of checked) if ((await checkStale(app, project)) > 0) queued();
      if (isDue) checkedAt = app.now();
    },
  };
}

/** Returns the projects in which flags expired. */
async function expireDue({ store, now }: FlagsApp): Promise<Set<string>> {
  const projects = new Set<string>();
  for (;;) {
    const expired = await store.flagNotices.expire(now(), STEP);
    for (const project of expired.projects) projects.add(project);
    if (!expired.isLeft) return projects;
  }
}

/** Returns how many notices were queued of flags that are newly stale or removable; none if the project has been deleted. */
async function checkStale(app: FlagsApp, project: string): Promise<number> {
  const { DEFAULT_STALE_DAYS, assessFlags } = await import("./stale.ts");
  try {
    const stale = await assessFlags(app, { project, environment: null, days: DEFAULT_STALE_DAYS });
    const { finishedAmong } = await import("./cleanup.ts");
    const finished = await finishedAmong(
      app,
      project,
      stale.map(({ slug }) => slug),
    );
    const removable = stale.filter(({ slug }) => finished.has(slug));
    const { flagNotices } = app.store;
    const now = app.now();
    return (
      (await flagNotices.mark("stale", project, stale, now)) +
      (await flagNotices.mark("removable", project, removable, now))
    );
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return 0;
    throw error;
  }
}
