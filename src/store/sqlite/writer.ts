import { clock } from "../../base/clock.ts";
import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import type { StoreStats } from "../../maintenance/store.ts";
import { abandoned, busy } from "../queue.ts";
import { createCommitStats } from "../commit-stats.ts";
import { MAX_QUEUED_BYTES, MAX_QUEUED_WRITES } from "../limits.ts";
import { type Write, commit, resultOf, standsAlone } from "./commit.ts";
import { type PackedBatch, packBatch, unpackOutcomes } from "./pack.ts";

/**
 * Commits writes. `weight` is the approximate bytes of a write while it waits. A write that is abandoned before its commit
 * begins is not performed and throws `invalid`. Throws `unavailable` if too many writes wait.
 */
export type Writer = {
  write(write: Write, weight: number, isAbandoned?: () => boolean): Promise<unknown>;
  stats(): Omit<StoreStats, "bytes">;
  /** Fulfils once every file that the writer needs is open. */
  opened: Promise<void>;
  /** Finishes the queued writes. */
  close(): Promise<void>;
};

/**
 * A message to `writer-thread.ts`: a batch, as `packBatch` makes it, or a command. The answer to `open` is sent once the
 * file is open, the answer to a batch is made by `packOutcomes`.
 */
export type ToThread = PackedBatch | { open: string } | { close: true };

/** Writes on the caller's own connection, one transaction each: for a command that does one thing and exits. */
export function inlineWriter(db: Database): Writer {
  const commits = createCommitStats();
  return {
    write: async (write, _weight, isAbandoned) => {
      if (isAbandoned?.()) throw abandoned();
      const start = clock.steady();
      const [outcome] = commit(db, [write]);
      commits.add(start, 1);
      return resultOf(outcome!);
    },
    stats: () => ({ queued: 0, queuedBytes: 0, ...commits.stats }),
    opened: Promise.resolve(),
    close: async () => {},
  };
}

/**
 * Writes on a separate thread, so that neither a slow disk nor the lock of another process blocks the caller. Writes that
 * arrive during a commit form the next batch, which has one fsync.
 */
export function threadWriter(file: string): Writer {
  type Waiting = {
    write: Write;
    weight: number;
    isAbandoned: (() => boolean) | undefined;
    resolve: (result: unknown) => void;
  };
  let queue: Waiting[] = [];
  let committing: Waiting[] = [];
  let queuedBytes = 0;
  let sentAt = 0;
  const commits = createCommitStats();
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  const thread = new Worker(new URL("./writer-thread.ts", import.meta.url).href);
  const send = (message: ToThread) => thread.postMessage(message);
  const isAwaited = ({ isAbandoned, weight, resolve }: Waiting) => {
    if (!isAbandoned?.()) return true;
    queuedBytes -= weight;
    resolve(Promise.reject(abandoned()));
    return false;
  };
  /** How many of the queue stand alone. */
  let alone = 0;
  const takeBatch = (): Waiting[] => {
    if (alone === 0) return queue.splice(0);
    const first = queue.findIndex(({ write }) => standsAlone(write));
    if (first > 0) return queue.splice(0, first);
    alone -= 1;
    return queue.splice(0, 1);
  };
  const sendBatch = () => {
    do committing = takeBatch().filter(isAwaited);
    while (committing.length === 0 && queue.length > 0);
    sentAt = clock.steady();
    if (committing.length > 0) send(packBatch(committing.map((each) => each.write)));
    else onIdle?.();
  };

  const receive = ({ data }: MessageEvent<string>) => {
    const done = committing;
    const outcomes = unpackOutcomes(data, done.length);
    commits.add(sentAt, done.length);
    sendBatch();
    for (const [index, { weight, resolve }] of done.entries()) {
      queuedBytes -= weight;
      resolve(resultOf(outcomes[index]!));
    }
  };
  // Nothing can be stored any more, so the process ends for its supervisor to restart it.
  thread.onerror = (event) => {
    process.stderr.write(`the writer thread failed: ${event.message}\n`);
    process.exit(1);
  };
  const opened = new Promise<void>((resolve) => {
    thread.onmessage = () => {
      thread.onmessage = receive;
      resolve();
    };
  });
  send({ open: file });

  const close = async () => {
    if (committing.length + queue.length > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    const { promise: closed, resolve } = Promise.withResolvers<unknown>();
    thread.addEventListener("close", resolve);
    send({ close: true });
    await closed;
  };

  return {
    write: (write, weight, isAbandoned) =>
      new Promise((resolve) => {
        if (closing) throw new AppError("unavailable", "the database is closed");
        if (queue.length >= MAX_QUEUED_WRITES || queuedBytes + weight > MAX_QUEUED_BYTES) {
          throw busy();
        }
        queuedBytes += weight;
        queue.push({ write, weight, isAbandoned, resolve });
        if (standsAlone(write)) alone += 1;
        // Deferred, so that other writes of the same turn of the event loop join the batch.
        if (committing.length === 0 && queue.length === 1)
          clock.soon(() => committing.length === 0 && sendBatch());
      }),
    stats: () => ({ queued: committing.length + queue.length, queuedBytes, ...commits.stats }),
    opened,
    close: () => (closing ??= close()),
  };
}
