import type { Known, Look } from "./changes.ts";
import { AppError } from "./errors.ts";

/** The clocks and the timer of a watch, in milliseconds. */
export type Timing = {
  /** Never goes back, but stands still while a virtual machine is suspended. */
  steady: () => number;
  /** Since 1970; may be set back. */
  wall: () => number;
  /** Calls `run` after a time, unless the function returned is called before. */
  after: (ms: number, run: () => void) => () => void;
};

/** Records the versions that were read, and notifies watchers. */
export function createState(report: (error: unknown) => void) {
  const watchers = new Set<() => void>();
  const counts = { succeeded: 0, failed: 0 };
  let known: Known | undefined;
  let changes = 0;
  const tell = () => {
    for (const changed of watchers) changed();
  };
  return {
    counts,
    known: () => known,
    /** How many changes this process has made: a look that began before one may miss it. */
    changes: () => changes,
    changed: () => {
      changes += 1;
      tell();
    },
    onChange: (changed: () => void) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    /** Records what a look found. Looks are recorded in the order in which they began. */
    found(look: Look): Known {
      counts.succeeded += 1;
      const before = known;
      if (before && isSame(before, look)) return before;
      const isBroken = before !== undefined && !follows(look, before);
      known = { ...look, generation: (before?.generation ?? 0) + (isBroken ? 1 : 0) };
      if (isBroken && !isFarBehind(before, look))
        report(new AppError("unavailable", lostChanges(before, known)));
      // The first look too: what was read before it may be older.
      tell();
      return known;
    },
  };
}

function isSame(before: Look, now: Look): boolean {
  return now.version === before.version && now.access === before.access && stampOf(now) === stampOf(before);
}

function stampOf({ stamps }: Look): string | undefined {
  return stamps?.[0];
}

/** Whether the database is known to have all changes that it had: it may have lost some, and got as many others since. */
function follows(now: Look, before: Look): boolean {
  if (now.version < before.version || now.access < before.access) return false;
  const stamp = stampOf(before);
  if (stamp === undefined || now.stamps === undefined) return true;
  return now.stamps[now.version - before.version] === stamp;
}

/** Whether so many changes were made since that the database no longer has the stamp, if it ever had. */
function isFarBehind(before: Look, { version, stamps }: Look): boolean {
  return stamps !== undefined && version - before.version >= stamps.length;
}

function lostChanges(before: Look, now: Look): string {
  const [from, to] = [`${before.version}.${before.access}`, `${now.version}.${now.access}`];
  const what = from === to ? `${to} has other content` : `was ${from} and is now ${to}`;
  return `the database has lost changes: revision ${what}; caches dropped`;
}

export type State = ReturnType<typeof createState>;
