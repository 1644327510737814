import type { Known, Versions } from "./changes.ts";
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

type Setup = Omit<Versions, "memberships">;

/** Records the versions that were read, and notifies watchers. */
export function createState(report: (error: unknown) => void) {
  const watchers = new Set<() => void>();
  const counts = { succeeded: 0, failed: 0 };
  let known: Known | undefined;
  let changes = 0;
  let memberships = 0;
  const tell = () => {
    for (const changed of watchers) changed();
  };
  return {
    counts,
    known: () => known,
    memberships: () => memberships,
    /** How many changes this process has made: a read that began before one may miss it. */
    changes: () => changes,
    changed: () => {
      changes += 1;
      tell();
    },
    onChange: (changed: () => void) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    /** Records the versions that were read, by this thread or another. Reads are recorded in the order in which they began. */
    found({ memberships: ofMembers, ...read }: Versions, isOwn = true): Known {
      if (isOwn) counts.succeeded += 1;
      memberships = ofMembers ?? 0;
      const before = known;
      if (before && isSame(before, read)) return before;
      const isBroken = before !== undefined && !follows(read, before);
      known = { ...read, generation: (before?.generation ?? 0) + (isBroken ? 1 : 0) };
      if (isBroken && !isFarBehind(before, read))
        report(new AppError("unavailable", lostChanges(before, known)));
      // The first read too: what was read before it may be older.
      tell();
      return known;
    },
  };
}

function isSame(before: Setup, now: Setup): boolean {
  return now.version === before.version && now.access === before.access && stampOf(now) === stampOf(before);
}

function stampOf({ stamps }: Setup): string | undefined {
  return stamps?.[0];
}

/** Whether the database is known to have all changes that it had: it may have lost some, and got as many others since. */
function follows(now: Setup, before: Setup): boolean {
  if (now.version < before.version || now.access < before.access) return false;
  const stamp = stampOf(before);
  if (stamp === undefined || now.stamps === undefined) return true;
  return now.stamps[now.version - before.version] === stamp;
}

/** Whether so many changes were made since that the database no longer has the stamp, if it ever had. */
function isFarBehind(before: Setup, { version, stamps }: Setup): boolean {
  return stamps !== undefined && version - before.version >= stamps.length;
}

function lostChanges(before: Setup, now: Setup): string {
  const [from, to] = [`${before.version}.${before.access}`, `${now.version}.${now.access}`];
  const what = from === to ? `${to} has other content` : `was ${from} and is now ${to}`;
  return `the database has lost changes: revision ${what}; caches dropped`;
}

export type State = ReturnType<typeof createState>;
