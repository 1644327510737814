import { clock } from "../../base/clock.ts";
import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import type { StoreStats } from "../../maintenance/store.ts";
import { abandoned, busy } from "../queue.ts";
import { type CommitStats, createCommitStats, openCommitStats } from "../commit-stats.ts";
import { type Room, createRoom, openRoom } from "../room.ts";
import { resultOf } from "../outcome.ts";
import { type Write, commit } from "./commit.ts";
import { type PackedBatch, packBatch, travelsAlone, unpackOutcomes } from "./pack.ts";
import { type Abandonable, createBatchMemory, watchBatch } from "./recall.ts";

/**
 * Commits writes. `weight` is the approximate size of a waiting write in bytes. A write that is abandoned before its
 * commit begins is not performed and throws `invalid`. Throws `unavailable` if too many writes wait.
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
 * A message to `writer-thread.ts`: a batch from `packBatch`, or a command. The answer to `open` is sent when the file
 * is open; the answer to a batch is made by `packOutcomes`. With `memory`, batches come from the ports that join.
 */
export type ToThread =
  | PackedBatch
  | { open: string; memory?: WriterMemory }
  | { join: MessagePort; batch: SharedArrayBuffer }
  | { close: true };

/**
 * A writer on the caller's own connection, with one transaction for each write: for a command that does one thing and
 * exits.
 */
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

/** Memory that the threads of a server share with its writer thread. */
export type WriterMemory = {
  room: SharedArrayBuffer;
  commits: SharedArrayBuffer;
  /** One word, which grows and wakes the writer with every batch. */
  arrivals: SharedArrayBuffer;
};

/** A way for another thread to the writer thread. */
export type WriterLink = { memory: WriterMemory; batch: SharedArrayBuffer; port: MessagePort };

/** The way of a writer to its thread. */
type Line = {
  send: (packed: PackedBatch, batch: readonly Abandonable[]) => void;
  receive: (take: (packed: string) => void) => void;
  opened: Promise<void>;
  close: () => Promise<void>;
};

/**
 * A writer on a separate thread, so that neither a slow disk nor the lock of another process blocks the caller. Writes
 * that arrive during a commit form the next batch, which has one fsync.
 */
export function threadWriter(file: string): Writer {
  const thread = startThread();
  const { opened, close } = openThread(thread, { open: file });
  const line: Line = {
    send: (batch) => thread.postMessage(batch),
    receive: (take) => void opened.then(() => (thread.onmessage = ({ data }) => take(data))),
    opened,
    close,
  };
  return queueWriter(line, createRoom(), createCommitStats(), true);
}

/** Starts the writer thread of a server with several threads. `join` makes a way to it for one more of them. */
export function sharedWriter(file: string, memory: WriterMemory): Writer & { join: () => WriterLink } {
  const thread = startThread();
  const { opened, close } = openThread(thread, { open: file, memory });
  const join = (): WriterLink => {
    const { port1, port2 } = new MessageChannel();
    const batch = createBatchMemory();
    thread.postMessage({ join: port1, batch } satisfies ToThread, [port1]);
    return { memory, batch, port: port2 };
  };
  return { ...linkedWriter(join(), { opened, close }), join };
}

/** Writes on the writer thread that the main thread has started. */
export function linkedWriter(
  { memory, batch, port }: WriterLink,
  { opened, close }: Pick<Line, "opened" | "close"> = { opened: Promise.resolve(), close: async () => {} },
): Writer {
  const arrivals = new Int32Array(memory.arrivals);
  let endWatch = () => {};
  const line: Line = {
    send(packed, writes) {
      endWatch = watchBatch(batch, writes);
      port.postMessage(packed);
      Atomics.add(arrivals, 0, 1);
      Atomics.notify(arrivals, 0);
    },
    receive(take) {
      port.onmessage = ({ data }) => {
        endWatch();
        take(data as string);
      };
    },
    opened,
    async close() {
      port.close();
      await close();
    },
  };
  return queueWriter(line, openRoom(memory.room), openCommitStats(memory.commits), false);
}

function startThread(): Worker {
  const thread = new Worker(new URL("./writer-thread.ts", import.meta.url).href);
  // Nothing can be stored any more, so the process ends for its supervisor to restart it.
  thread.onerror = (event) => {
    process.stderr.write(`the writer thread failed: ${event.message}\n`);
    process.exit(1);
  };
  return thread;
}

function openThread(thread: Worker, message: ToThread): Pick<Line, "opened" | "close"> {
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  thread.onmessage = () => resolve();
  thread.postMessage(message);
  return {
    opened,
    async close() {
      const { promise: closed, resolve } = Promise.withResolvers<unknown>();
      thread.addEventListener("close", resolve);
      thread.postMessage({ close: true } satisfies ToThread);
      await closed;
    },
  };
}

/** Collects writes into batches on a line; `timesCommits` is false if the thread itself times them. */
function queueWriter(line: Line, room: Room, commits: CommitStats, timesCommits: boolean): Writer {
  type Waiting = Abandonable & {
    write: Write;
    weight: number;
    resolve: (result: unknown) => void;
  };
  let queue: Waiting[] = [];
  let committing: Waiting[] = [];
  let sentAt = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  const isAwaited = ({ isAbandoned, weight, resolve }: Waiting) => {
    if (!isAbandoned?.()) return true;
    room.free(weight);
    resolve(Promise.reject(abandoned()));
    return false;
  };
  /** How many of the queue travel alone. */
  let alone = 0;
  const takeBatch = (): Waiting[] => {
    if (alone === 0) return queue.splice(0);
    const first = queue.findIndex(({ write }) => travelsAlone(write));
    if (first > 0) return queue.splice(0, first);
    alone -= 1;
    return queue.splice(0, 1);
  };
  const sendBatch = () => {
    do {
      const taken = takeBatch();
      room.sent(taken.length);
      committing = taken.filter(isAwaited);
    } while (committing.length === 0 && queue.length > 0);
    sentAt = clock.steady();
    if (committing.length > 0) line.send(packBatch(committing.map((each) => each.write)), committing);
    else onIdle?.();
  };

  line.receive((packed) => {
    const done = committing;
    const outcomes = unpackOutcomes(packed, done.length);
    if (timesCommits) commits.add(sentAt, done.length);
    sendBatch();
    for (const [index, { weight, resolve }] of done.entries()) {
      room.free(weight);
      resolve(resultOf(outcomes[index]!));
    }
  });

  const close = async () => {
    if (committing.length + queue.length > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    await line.close();
  };

  return {
    write: (write, weight, isAbandoned) =>
      new Promise((resolve) => {
        if (closing) throw new AppError("unavailable", "the database is closed");
        if (!room.take(weight)) throw busy();
        queue.push({ write, weight, isAbandoned, resolve });
        if (travelsAlone(write)) alone += 1;
        // Deferred, so that other writes of the same turn of the event loop join the batch.
        if (committing.length === 0 && queue.length === 1)
          clock.soon(() => committing.length === 0 && sendBatch());
      }),
    stats: () => ({ queued: room.writes(), queuedBytes: room.bytes(), ...commits.stats }),
    opened: line.opened,
    close: () => (closing ??= close()),
  };
}
