import { type FlagsApp, type FlagRead } from "../store.ts";
import type { Job } from "../../base/jobs.ts";
import { type Counted, createReadTally } from "./read-tally.ts";

/** Least time between two recorded reads of a flag, in milliseconds, and so the precision of read times. */
export const READ_INTERVAL = 3_600_000;

/** Something that readers read; `readAt` is when a read was last recorded, -Infinity before the first. */
export type Readable = Counted & { readAt: number };

/** A flag that has never been read. */
export function neverRead(): Readable {
  return { readAt: Number.NEGATIVE_INFINITY, count: 0 };
}

/** Milliseconds between two writes of recorded reads: `apply` deletes no flag unasked that was read lately. */
const FLUSH_MS = 60_000;

/**
 * Records a read at a time in milliseconds since 1970, by a token of that name if the reader has one; nearly every call is
 * only a few comparisons and an addition.
 */
export type NoteRead = (
  read: Readable,
  environmentKey: string,
  slug: string | null,
  now: number,
  client?: string | null,
) => void;

/**
 * Records when and how often flags are read, so that unread flags can be listed. The records outlive snapshots. `flush`
 * stores them, and keeps them if that fails; a crash loses those since the last flush.
 */
export function createReads(store: FlagsApp["store"]): {
  note: NoteRead;
  flush: () => Promise<void>;
  /** Flush at intervals. */
  jobs: Job[];
} {
  const tally = createReadTally(store);
  let marks = new Map<string, FlagRead>();
  const mark = (read: Readable, environmentKey: string, slug: string | null, at: number) => {
    read.readAt = at;
    marks.set(`${environmentKey}/${slug ?? ""}`, { environmentKey, slug, at });
  };
  const flushMarks = async () => {
    if (marks.size === 0) return;
    const taken = marks;
    marks = new Map();
    try {
      await store.flags.markRead([...taken.values()]);
    } catch (error) {
      // Kept for the next write; marks added since are newer.
      marks = new Map([...taken, ...marks]);
      throw error;
    }
  };
  return {
    note(read, environmentKey, slug, now, client = null) {
      if (client !== null) {
        const clients = (read.clients ??= new Map<string, number>());
        clients.set(client, (clients.get(client) ?? 0) + 1);
      }
      if ((read.count += 1) === 1) tally.note(read, environmentKey, slug, now);
      if (now - read.readAt >= READ_INTERVAL) mark(read, environmentKey, slug, now);
    },
    async flush() {
      await flushMarks();
      await tally.flush();
    },
    jobs: [{ name: "reads", every: FLUSH_MS, run: flushMarks }, tally.job],
  };
}
