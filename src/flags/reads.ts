import type { FlagsApp } from "./store.ts";
import type { Job } from "../base/jobs.ts";
import type { FlagRead } from "./flag-read.ts";

/** Least time between two recorded reads of a flag, in milliseconds, and so the precision of read times. */
export const READ_INTERVAL = 3_600_000;

/** Something that readers read; `readAt` is when a read was last recorded, -Infinity before the first. */
export type Readable = { readAt: number };

/** Records a read at a time in milliseconds since 1970; nearly every call is only a comparison. */
export type NoteRead = (read: Readable, environmentKey: string, slug: string | null, now: number) => void;

/**
 * Collects when flags are read, so that unread flags can be listed. The times outlive the snapshot that was read.
 * `flush` stores them in one write, and keeps them where that fails; a crash before a flush loses them.
 */
export function createReads(store: FlagsApp["store"]): {
  note: NoteRead;
  flush: () => Promise<void>;
  /** Flushes at intervals. */
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
      // Kept for the next write; marks that were added meanwhile are newer.
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
