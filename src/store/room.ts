import { clock } from "../base/clock.ts";
import { MAX_QUEUED_BYTES, MAX_QUEUED_WRITES, MAX_THREADS } from "./limits.ts";

/** Room for the writes that wait for the disk. */
export type Room = {
  /** Takes room for a write of so many bytes; false if it does not fit. */
  take: (weight: number) => boolean;
  /** Writes leave the queue for a commit. */
  sent: (writes: number) => void;
  /** Frees the bytes of a write that was committed or dropped. */
  free: (weight: number) => void;
  /** Writes that were not committed or dropped yet. */
  writes: () => number;
  bytes: () => number;
  /** A batch of this thread is at the writer from now on, or none; one that `isLong` may take any time. */
  begin: (isLong: boolean) => void;
  end: () => void;
  /** Milliseconds for which the oldest batch of any thread is at the writer; 0 while a long one is. */
  waitsFor: () => number;
};

/** The time at which a batch began: none is at the writer, or one that may take any time. */
const [NONE, LONG] = [0, -1];

export function createRoom(): Room {
  let [waiting, writes, bytes, since] = [0, 0, 0, NONE];
  return {
    take(weight) {
      if (waiting >= MAX_QUEUED_WRITES || bytes + weight > MAX_QUEUED_BYTES) return false;
      waiting += 1;
      writes += 1;
      bytes += weight;
      return true;
    },
    sent: (count) => void (waiting -= count),
    free(weight) {
      writes -= 1;
      bytes -= weight;
    },
    writes: () => writes,
    bytes: () => bytes,
    begin: (isLong) => void (since = isLong ? LONG : clock.steady()),
    end: () => void (since = NONE),
    waitsFor: () => (since > 0 ? clock.steady() - since : 0),
  };
}

const TAKEN_BYTES = 16;

export function createRoomMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(TAKEN_BYTES + MAX_THREADS * 8);
}

/** The same for all threads that share the memory, each of which opens it once. */
export function openRoom(memory: SharedArrayBuffer): Room {
  const taken = new Int32Array(memory, 0, 4);
  const [WAITING, WRITES, BYTES, THREADS] = [0, 1, 2, 3];
  const since = new Float64Array(memory, TAKEN_BYTES);
  const own = Atomics.add(taken, THREADS, 1);
  return {
    take(weight) {
      const waiting = Atomics.add(taken, WAITING, 1);
      const bytes = Atomics.add(taken, BYTES, weight);
      const isTaken = waiting < MAX_QUEUED_WRITES && bytes + weight <= MAX_QUEUED_BYTES;
      if (isTaken) Atomics.add(taken, WRITES, 1);
      else {
        Atomics.sub(taken, WAITING, 1);
        Atomics.sub(taken, BYTES, weight);
      }
      return isTaken;
    },
    sent: (count) => void Atomics.sub(taken, WAITING, count),
    free(weight) {
      Atomics.sub(taken, WRITES, 1);
      Atomics.sub(taken, BYTES, weight);
    },
    writes: () => Atomics.load(taken, WRITES),
    bytes: () => Atomics.load(taken, BYTES),
    // By the clock of the wall, since each thread counts its steady one from its own start.
    begin: (isLong) => void (since[own] = isLong ? LONG : clock.now()),
    end: () => void (since[own] = NONE),
    waitsFor() {
      const begun = since.filter((at) => at !== NONE);
      return begun.length === 0 || begun.includes(LONG) ? 0 : Math.max(0, clock.now() - Math.min(...begun));
    },
  };
}
