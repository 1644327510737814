import type { FlagsApp } from "./store.ts";
import type { Job } from "../base/jobs.ts";
import type { FlagRead } from "./flag-read.ts";

/** Marks of the same flag are this far apart, in milliseconds: reads are counted to about that. */
export const READ_INTERVAL = 3_600_000;

/** When something that readers are answered from was last marked; -Infinity where it never was. */
export type Readable = { readAt: number };

/** Counts a read at a time in milliseconds since 1970; hardly ever more than a comparison. */
export type NoteRead = (read: Readable, environmentKey: string, slug: string | null, now: number) => void;

/**
 * Gathers when flags are read, so that those that nobody reads can be told. What is gathered outlives the snapshot
 * that was read; `flush` stores it with one write, and keeps it where that fails; without one a crash forgets it.
 */
export function createReads(store: FlagsApp["store"]): {
  note: NoteRead;
  flush: () => Promise<void>;
  /** The job of a server that stores them. */
  job: Job;
} {
  let marks = new Map<string, FlagRead>();
  const mark = (read: Readable, environmentKey: string, slug: string | null, at: number) => {
    read.readAt = at;
    marks.set(`${environmentKey}/${slug ?? ""}`, { environmentKey, slug, at });
  };
  const flush = async () => {
    if (marks.size === 0) return;
    const taken = marks;
    marks = new Map();
    try {
      await store.flags.markRead([...taken.values()]);
    } catch (error) {
      // The next write takes them along; a mark that came meanwhile is newer.
      marks = new Map([...taken, ...marks]);
      throw error;
    }
  };
  return {
    note(read, environmentKey, slug, now) {
      if (now - read.readAt >= READ_INTERVAL) mark(read, environmentKey, slug, now);
    },
    flush,
    job: { name: "reads", every: READ_INTERVAL, run: flush },
  };
}
