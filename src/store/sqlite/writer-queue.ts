import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { StoreStats } from "../../maintenance/store.ts";
import type { CommitStats } from "../commit-stats.ts";
import { resultOf } from "../outcome.ts";
import { abandoned, busy } from "../queue.ts";
import type { Room } from "../room.ts";
import {
  type PackedBatch,
  type Write,
  packBatch,
  standsAlone,
  travelsAlone,
  unpackOutcomes,
} from "./pack.ts";
import type { Abandonable } from "./recall.ts";

/**
 * Commits writes. `weight` is the approximate size of a waiting write in bytes. A write that is abandoned before its
 * commit begins is not performed and throws `invalid`. Throws `unavailable` if too many writes wait.
 */
export type Writer = {
  write(write: Write, weight: number, isAbandoned?: () => boolean): Promise<unknown>;
  stats(): Omit<StoreStats, "bytes">;
  /** Milliseconds for which the oldest batch of this server is at the writer; 0 while one rewrites the file. */
  waitsFor(): number;
  /** Fulfils once every file that the writer needs is open. */
  opened: Promise<void>;
  /** Finishes the queued writes. */
  close(): Promise<void>;
};

/** The way of a writer to its thread. */
export type Line = {
  /** Throws if one of the writes cannot be sent; then none is. */
  send: (packed: PackedBatch, batch: readonly Abandonable[]) => void;
  receive: (take: (packed: string) => void) => void;
  opened: Promise<void>;
  close: () => Promise<void>;
};

type Waiting = Abandonable & {
  write: Write;
  weight: number;
  resolve: (result: unknown) => void;
};

/**
 * Collects writes into batches on a line; `timesCommits` is false if the thread itself times them. Whatever goes wrong with a
 * batch on its way, what cannot be sent is refused, and what waits behind it is sent.
 */
export function queueWriter(line: Line, room: Room, commits: CommitStats, timesCommits: boolean): Writer {
  const queue = createQueue();
  let committing: Waiting[] = [];
  let sentAt = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  const settle = ({ weight, resolve }: Waiting, result: unknown) => {
    room.free(weight);
    resolve(result);
  };
  const refuse = (each: Waiting, error: unknown) => {
    room.sent(1);
    settle(each, Promise.reject(error));
  };
  /** The writes of a batch that pass a check, which throws. The others are refused. */
  const passing = (batch: Waiting[], check: (each: Waiting) => void) =>
    batch.filter((each) => {
      try {
        check(each);
        return true;
      } catch (error) {
        refuse(each, error);
        return false;
      }
    });
  const trySend = (batch: Waiting[]): void => {
    if (batch.length === 0) return;
    try {
      const writes = batch.map(({ write }) => write);
      line.send(packBatch(writes), batch);
      room.sent(batch.length);
      room.begin(writes.some(standsAlone));
      committing = batch;
    } catch (error) {
      const sendable = passing(batch, requireSendable);
      if (sendable.length < batch.length) return trySend(sendable);
      for (const each of batch) refuse(each, error);
    }
  };
  const sendBatch = () => {
    committing = [];
    sentAt = clock.steady();
    while (committing.length === 0 && queue.length() > 0) trySend(passing(queue.takeBatch(), requireAwaited));
    if (committing.length > 0) return;
    room.end();
    onIdle?.();
  };

  line.receive((packed) => {
    const done = committing;
    const outcomes = unpackOutcomes(packed, done.length);
    if (timesCommits) commits.add(sentAt, done.length);
    sendBatch();
    for (const [index, each] of done.entries()) settle(each, resultOf(outcomes[index]!));
  });

  const close = async () => {
    if (committing.length + queue.length() > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    await line.close();
  };

  return {
    write: (write, weight, isAbandoned) =>
      new Promise((resolve) => {
        if (closing) throw new AppError("unavailable", "the database is closed");
        if (!room.take(weight)) throw busy();
        queue.add({ write, weight, isAbandoned, resolve });
        // Deferred, so that other writes of the same turn of the event loop join the batch.
        if (committing.length === 0 && queue.length() === 1)
          clock.soon(() => committing.length === 0 && sendBatch());
      }),
    stats: () => ({ queued: room.writes(), queuedBytes: room.bytes(), ...commits.stats }),
    waitsFor: room.waitsFor,
    opened: line.opened,
    close: () => (closing ??= close()),
  };
}

/** Writes that wait to be sent, in batches. */
function createQueue() {
  const waiting: Waiting[] = [];
  /** How many of them travel alone. */
  let alone = 0;
  return {
    length: () => waiting.length,
    add(each: Waiting) {
      waiting.push(each);
      if (travelsAlone(each.write)) alone += 1;
    },
    takeBatch(): Waiting[] {
      if (alone === 0) return waiting.splice(0);
      const first = waiting.findIndex(({ write }) => travelsAlone(write));
      if (first > 0) return waiting.splice(0, first);
      alone -= 1;
      return waiting.splice(0, 1);
    },
  };
}

/** Throws `invalid`. */
function requireAwaited({ isAbandoned }: Waiting): void {
  if (isAbandoned?.()) throw abandoned();
}

/** Throws what sending the write alone would. */
function requireSendable({ write }: Waiting): void {
  structuredClone(packBatch([write]));
}
