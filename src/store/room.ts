import { MAX_QUEUED_BYTES, MAX_QUEUED_WRITES } from "./limits.ts";

/** Room for the writes that wait for the disk. */
export type Room = {
  /** Takes room for a write of so many bytes; false if there is none. */
  take: (weight: number) => boolean;
  /** Writes leave the queue for a commit. */
  sent: (writes: number) => void;
  /** Frees the bytes of a write that was committed or dropped. */
  free: (weight: number) => void;
  writes: () => number;
  bytes: () => number;
};

export function createRoom(): Room {
  let [writes, bytes] = [0, 0];
  return {
    take(weight) {
      if (writes >= MAX_QUEUED_WRITES || bytes + weight > MAX_QUEUED_BYTES) return false;
      writes += 1;
      bytes += weight;
      return true;
    },
    sent: (count) => void (writes -= count),
    free: (weight) => void (bytes -= weight),
    writes: () => writes,
    bytes: () => bytes,
  };
}

export function createRoomMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(8);
}

/** The same for all threads that share the memory. */
export function openRoom(memory: SharedArrayBuffer): Room {
  const taken = new Int32Array(memory);
  const [WRITES, BYTES] = [0, 1];
  return {
    take(weight) {
      const writes = Atomics.add(taken, WRITES, 1);
      const bytes = Atomics.add(taken, BYTES, weight);
      if (writes < MAX_QUEUED_WRITES && bytes + weight <= MAX_QUEUED_BYTES) return true;
      Atomics.sub(taken, WRITES, 1);
      Atomics.sub(taken, BYTES, weight);
      return false;
    },
    sent: (count) => void Atomics.sub(taken, WRITES, count),
    free: (weight) => void Atomics.sub(taken, BYTES, weight),
    writes: () => Atomics.load(taken, WRITES),
    bytes: () => Atomics.load(taken, BYTES),
  };
}
