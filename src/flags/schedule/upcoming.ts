import type { Caller } from "../../access/caller.ts";
import { requireScopeSomewhere, visibleProjects } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { RecentRevision } from "../../projects/history.ts";
import { DEFAULT_STALE_DAYS, findStale } from "../stale.ts";
import type { StaleFlag } from "../stale-schema.ts";
import type { FlagsApp } from "../store.ts";

type Recent = { since: number; limit: number };

/**
 * Returns a function that reads the changes of flags since a time in milliseconds since 1970, in every project that the
 * caller sees, newest first. It throws `forbidden`. The last result is kept until the setup changes: each holds the whole
 * flag before and after.
 */
export function createRecentChanges(
  app: FlagsApp,
): (caller: Caller, recent: Recent) => Promise<readonly RecentRevision[]> {
  let kept: { key: string; changes: Promise<RecentRevision[]> } | undefined;
  return async (caller, { since, limit }) => {
    requireScopeSomewhere(caller, "flags:read");
    const visible = visibleProjects(caller, "flags:read");
    const { version } = await app.store.readVersion();
    const key = JSON.stringify([version, since, limit, visible]);
    if (kept?.key !== key) {
      const changes = app.store.changes.recent(since, limit, visible);
      kept = { key, changes };
      changes.catch(() => (kept = undefined));
    }
    return kept.changes;
  };
}

/** How many flags of a project are stale, and which has been so for longest. */
export type StaleCount = { project: string; count: number; oldest: StaleFlag };

/** Milliseconds after which stale flags are counted again although no flag has changed. */
const STALE_TTL = 600_000;

/**
 * Returns a function that counts the stale flags of each project that the caller sees, highest count first, without
 * projects that have none. It throws `forbidden`. Counting reads every flag, so results are cached until the setup
 * changes, at most ten minutes.
 */
export function createStaleCounts(app: FlagsApp): (caller: Caller) => Promise<StaleCount[]> {
  let kept: { version: number; until: number; counts: Promise<StaleCount[]> } | undefined;
  return async (caller) => {
    requireScopeSomewhere(caller, "flags:read");
    const version = (await app.store.readVersion()).version;
    if (kept?.version !== version || app.now() >= kept.until) {
      const counts = countStale(app);
      kept = { version, until: app.now() + STALE_TTL, counts };
      counts.catch(() => (kept = undefined));
    }
    const visible = visibleProjects(caller, "flags:read");
    const counts = await kept.counts;
    return visible === null ? counts : counts.filter(({ project }) => visible.includes(project));
  };
}

async function countStale(app: FlagsApp): Promise<StaleCount[]> {
  const counts: StaleCount[] = [];
  for (const { slug: project } of await app.store.projects.list()) {
    const stale = await staleIn(app, project);
    const oldest = stale.toSorted((a, b) => (a.since < b.since ? -1 : 1))[0];
    if (oldest) counts.push({ project, count: stale.length, oldest });
    await yieldToEventLoop();
  }
  return counts.toSorted((a, b) => b.count - a.count);
}

/** None if the project has been deleted. */
async function staleIn(app: FlagsApp, project: string): Promise<StaleFlag[]> {
  try {
    return await findStale(app, { project, environment: null, days: DEFAULT_STALE_DAYS });
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return [];
    throw error;
  }
}
