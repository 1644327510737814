import { MAX_QUEUED_BYTES, MAX_QUEUED_WRITES } from "./limits.ts";

/** Room for the writes that wait for the disk. */
export type Room = {
  /** Takes room for a write of so many bytes; false if there is none. */
  take: (weight: number) => boolean;
  /** Writes leave the queue for a commit. */
  sent: (writes: number) => void;
  /** Frees the bytes of a write that was committed or dropped. */
  free: (weight: number) => void;
  /** Writes that were not committed or dropped yet. */
  writes: () => number;
  bytes: () => number;
};

export function createRoom(): Room {
  let [waiting, writes, bytes] = [0, 0, 0];
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
  };
}

export function createRoomMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(12);
}

/** The same for all threads that share the memory. */
export function openRoom(memory: SharedArrayBuffer): Room {
  const taken = new Int32Array(memory);
  const [WAITING, WRITES, BYTES] = [0, 1, 2];
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
  };
}
