import { clock } from "../../base/clock.ts";
import { MAX_QUEUED_WRITES } from "../limits.ts";

/** How often a thread checks for senders that have left while its batch waits behind another one, in milliseconds. */
const CHECK_MS = 10;

/** The states of a batch, in the first byte of the memory; a byte for each write follows, 1 for one that is abandoned. */
const [WAITS, BEGUN] = [1, 2];

/** A write whose sender may leave before its commit begins. */
export type Abandonable = { isAbandoned: (() => boolean) | undefined };

/** Memory for the batch of one thread that is at the writer. */
export function createBatchMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(1 + MAX_QUEUED_WRITES);
}

/** Marks writes of the batch at the writer as abandoned for as long as it has not begun. Returns what ends that. */
export function watchBatch(memory: SharedArrayBuffer, writes: readonly Abandonable[]): () => void {
  const bytes = new Uint8Array(memory);
  bytes.fill(0, 1, 1 + writes.length);
  Atomics.store(bytes, 0, WAITS);
  if (writes.every(({ isAbandoned }) => isAbandoned === undefined)) return () => {};
  const timer = clock.every(CHECK_MS, () => {
    if (Atomics.load(bytes, 0) !== WAITS) return timer.close();
    for (const [index, { isAbandoned }] of writes.entries())
      if (isAbandoned?.()) Atomics.store(bytes, 1 + index, 1);
    return undefined;
  });
  return () => void timer.close();
}

/** Begins a batch: whether each of so many writes was abandoned before. */
export function beginBatch(memory: SharedArrayBuffer, count: number): boolean[] {
  const bytes = new Uint8Array(memory);
  Atomics.store(bytes, 0, BEGUN);
  return Array.from({ length: count }, (_, index) => Atomics.load(bytes, 1 + index) === 1);
}
