import { type Timer, clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { CommitStats } from "../commit-stats.ts";
import { MAX_QUEUED_BYTES, MAX_QUEUED_WRITES, POSTGRES_QUEUE_MS } from "../limits.ts";
import { abandoned, busy } from "../queue.ts";

/** Items in one batch, its approximate bytes, and batches that are committed at the same time. */
const BATCH_LIMITS = { items: 500, bytes: 4_000_000, inFlight: 2 };

/** Result of an item: the value of its commit, or an error. */
export type Outcome<T> = { value: T } | { error: unknown };

export type Batches<Item, T> = {
  /** Throws what the commit says of the item; `unavailable` if too many wait or it waits too long, `invalid` for one that is abandoned. */
  add(item: Item, bytes: number, isAbandoned?: () => boolean): Promise<T>;
  /** The items that wait for a commit or are in one, and their approximate bytes. */
  queued(): { queued: number; queuedBytes: number };
  /** Fulfils once nothing waits. */
  drained(): Promise<void>;
};

/**
 * Commits items in batches. Items that arrive while batches are in progress form the next one, so that load makes
 * batches larger instead of the queue longer. `commit` returns an outcome for each item in order; if it rejects, all of its
 * items do.
 */
export function createBatches<Item, T>(
  commit: (items: Item[]) => Promise<Outcome<T>[]>,
  commits: CommitStats,
  { items: most, bytes: mostBytes, inFlight } = BATCH_LIMITS,
  waitMs = POSTGRES_QUEUE_MS,
): Batches<Item, T> {
  type Waiting = {
    item: Item;
    bytes: number;
    since: number;
    isAbandoned: (() => boolean) | undefined;
    resolve: (value: T | Promise<T>) => void;
  };
  const queue: Waiting[] = [];
  let queuedBytes = 0;
  let running = 0;
  let committing = 0;
  let isScheduled = false;
  let timer: Timer | undefined;
  let onDrained: (() => void)[] = [];

  const settle = ({ bytes, resolve }: Waiting, outcome: Outcome<T>) => {
    queuedBytes -= bytes;
    resolve("error" in outcome ? Promise.reject(outcome.error) : outcome.value);
  };
  const take = (): Waiting[] => {
    const batch: Waiting[] = [];
    let bytes = 0;
    let taken = 0;
    for (const waiting of queue) {
      if (batch.length > 0 && (batch.length === most || bytes + waiting.bytes > mostBytes)) break;
      taken += 1;
      try {
        if (waiting.isAbandoned?.()) throw abandoned();
      } catch (error) {
        settle(waiting, { error });
        continue;
      }
      bytes += waiting.bytes;
      batch.push(waiting);
    }
    queue.splice(0, taken);
    return batch;
  };
  /** A database that stopped answering holds the batches under way for long, and nothing else. */
  const refuseLate = () => {
    timer = undefined;
    const latest = clock.steady() - waitMs;
    const first = queue.findIndex(({ since }) => since > latest);
    for (const waiting of queue.splice(0, first === -1 ? queue.length : first))
      settle(waiting, { error: late() });
    if (queue.length > 0) watchQueue();
  };
  const watchQueue = () => void (timer ??= clock.after(waitMs / 5, refuseLate).unref());
  const send = async (batch: Waiting[]) => {
    running += 1;
    committing += batch.length;
    const start = clock.steady();
    let outcomes: Outcome<T>[];
    try {
      outcomes = await commit(batch.map(({ item }) => item));
    } catch (error) {
      // A bug, which is not to hold what comes behind it.
      outcomes = batch.map(() => ({ error }));
    }
    commits.add(start, batch.length);
    running -= 1;
    committing -= batch.length;
    // The next batch is on its way before the answers of this one are.
    sendAll();
    for (const [index, waiting] of batch.entries()) settle(waiting, outcomes[index]!);
  };
  /** While a batch is in flight, start the next only if it is as large: small batches cost more than they save. */
  const mayBegin = () => running < inFlight && queue.length >= Math.min(most, committing);
  const sendAll = (): void => {
    isScheduled = false;
    if (queue.length > 0) {
      if (!mayBegin()) return;
      const batch = take();
      if (batch.length > 0) void send(batch);
      return sendAll();
    }
    if (running > 0) return;
    for (const drained of onDrained.splice(0)) drained();
  };

  return {
    add: (item, bytes, isAbandoned) =>
      new Promise((resolve) => {
        if (queue.length >= MAX_QUEUED_WRITES || queuedBytes + bytes > MAX_QUEUED_BYTES) {
          throw busy();
        }
        queuedBytes += bytes;
        queue.push({ item, bytes, since: clock.steady(), isAbandoned, resolve });
        watchQueue();
        // Deferred, so that others of the same turn of the event loop join the batch.
        if (isScheduled || !mayBegin()) return;
        isScheduled = true;
        clock.soon(sendAll);
      }),
    queued: () => ({ queued: queue.length + committing, queuedBytes }),
    drained: () =>
      new Promise((resolve) => {
        if (running === 0 && queue.length === 0) resolve();
        else onDrained.push(resolve);
      }),
  };
}

function late(): AppError {
  return new AppError("unavailable", "the database does not answer in time: send the submission again", {
    reason: "database-unavailable",
    retryAfter: 1,
  });
}
