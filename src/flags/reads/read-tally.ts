import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Job } from "../../base/jobs.ts";
import { HOUR_MS, hourOf } from "../../base/days.ts";
import type { Tally, TallyKind } from "./tally.ts";
import { TALLY_LIMITS } from "../limits.ts";
import type { FlagsApp } from "../store.ts";

/** Something that readers read; `count` is how often since that was last counted. */
export type Counted = {
  count: number;
  /** The answers that they got, if these are counted. */
  served?: () => Iterable<Serving>;
  /** How often by the tokens of readers, as far as they have one. */
  clients?: Map<string, number>;
};

/** An answer that readers get, with the variant of each flag in it, empty for none; `count` is how often since then. */
export type Serving = { count: number; of: readonly (readonly [flag: string, variant: string])[] };

/** Milliseconds between two flushes. */
const FLUSH_MS = 60_000;
/** Tallies in one write, between which submissions take their turn. */
const STEP = 500;
/** Readables that are noted before their counts are summed up, so that replaced snapshots are not kept in memory. */
const MAX_NOTED = 10_000;
/** Tallies that are kept if they cannot be stored. */
const MAX_HELD = 50_000;

export type ReadTally = {
  /** Notes the first read of a flag, or with null of every flag, since it was counted: later ones only raise its `count`. */
  note: (read: Counted, environmentKey: string, slug: string | null, now: number) => void;
  /** Stores the counts; if that fails, they are kept for the next time. */
  flush: () => Promise<void>;
  /** Flushes every minute. */
  job: Job;
};

/** Counts reads of flags by the hour. A read counts for the hour of the first read since the last flush. */
export function createReadTally(store: FlagsApp["store"]): ReadTally {
  type Noted = { read: Counted; environmentKey: string; slug: string | null; hour: number };
  let noted: Noted[] = [];
  let held = new Map<string, Tally>();

  const hold = (tally: Tally) => {
    const key = `${tally.kind} ${tally.hour} ${tally.what} ${tally.variant}`;
    const known = held.get(key);
    if (known) known.count += tally.count;
    else held.set(key, tally);
  };
  const holdServed = (serving: Serving, environmentKey: string, hour: number) => {
    const { count, of } = serving;
    if (count === 0) return;
    serving.count = 0;
    for (const [flag, variant] of of)
      hold({ kind: "served", hour, what: `${environmentKey}/${flag}`, variant, count });
  };
  const sumUp = () => {
    for (const { read, environmentKey, slug, hour } of noted) {
      const { count } = read;
      read.count = 0;
      const variant = slug === null ? "all" : "one";
      hold({ kind: "reads", hour, what: environmentKey, variant, count });
      if (slug !== null)
        hold({ kind: "flagReads", hour, what: `${environmentKey}/${slug}`, variant: "", count });
      for (const serving of read.served?.() ?? []) holdServed(serving, environmentKey, hour);
      for (const [client, count] of read.clients ?? [])
        hold({ kind: "clients", hour, what: `${environmentKey}/${slug ?? ""}`, variant: client, count });
      read.clients?.clear();
    }
    noted = [];
  };
  const flush = async () => {
    sumUp();
    const tallies = [...held.values()];
    held = new Map();
    for (let start = 0; start < tallies.length; start += STEP) {
      try {
        await store.tallies.add(tallies.slice(start, start + STEP));
      } catch (error) {
        for (const tally of tallies.slice(start, start + MAX_HELD)) hold(tally);
        throw error;
      }
    }
  };
  return {
    note(read, environmentKey, slug, now) {
      noted.push({ read, environmentKey, slug, hour: hourOf(now) });
      if (noted.length >= MAX_NOTED) sumUp();
    },
    flush,
    job: { name: "read-tally", every: FLUSH_MS, run: flush },
  };
}

/** The job that removes the tallies of reads that are no longer kept, every hour. */
export function tallyExpiryJob({ store, now }: FlagsApp): Job {
  const clear = async (kind: TallyKind, days: number) => {
    while (await store.tallies.clear(kind, hourOf(now()) - days * 24, STEP)) await yieldToEventLoop();
  };
  return {
    name: "tally-expiry",
    every: HOUR_MS,
    async run() {
      await clear("reads", TALLY_LIMITS.readDays);
      await clear("flagReads", TALLY_LIMITS.flagReadDays);
      await clear("served", TALLY_LIMITS.servedDays);
      await clear("clients", TALLY_LIMITS.servedDays);
    },
  };
}
