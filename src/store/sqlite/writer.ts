import { clock } from "../../base/clock.ts";
import type { Database } from "bun:sqlite";
import { abandoned } from "../queue.ts";
import { createCommitStats, openCommitStats } from "../commit-stats.ts";
import { createRoom, openRoom } from "../room.ts";
import { resultOf } from "../outcome.ts";
import type * as Commit from "./commit.ts";
import type { PackedBatch } from "./pack.ts";
import { createBatchMemory, watchBatch } from "./recall.ts";
import { type Line, type Writer, queueWriter } from "./writer-queue.ts";

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
      const { commit } = require("./commit.ts") as typeof Commit;
      const start = clock.steady();
      const [outcome] = commit(db, [write]);
      commits.add(start, 1);
      return resultOf(outcome!);
    },
    stats: () => ({ queued: 0, queuedBytes: 0, ...commits.stats }),
    waitsFor: () => 0,
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
      try {
        port.postMessage(packed);
      } catch (error) {
        endWatch();
        throw error;
      }
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
      thread.onmessage = resolve;
      thread.postMessage({ close: true } satisfies ToThread);
      await closed;
      thread.unref();
    },
  };
}
