import type { Versions } from "../changes.ts";
import type { SharedClock } from "./shared-clock.ts";
import { locked } from "./lock.ts";

/** A read of the version by any thread: when it began, and the number of changes by then. */
export type VersionRead = Required<Pick<Versions, "version" | "access" | "memberships">> & {
  beganAt: number;
  changes: number;
};

/** The version that was read last, for all threads of a server. */
export type SharedVersion = {
  clock: SharedClock;
  /** Grows with every change by a thread and every one that a read of the version finds: what was read before counts no more. */
  changes: () => number;
  changed: () => void;
  newest: () => VersionRead;
  /** Publishes a read, and returns it with the changes that it covers: one more if it found a change. */
  publish: (read: VersionRead) => VersionRead;
};

/** The words: the lock, the changes, and the changes that the read covers. */
const [CHANGES, COVERED] = [1, 2];
/** The doubles behind them. */
const [BEGAN_AT, VERSION, ACCESS, MEMBERSHIPS] = [2, 3, 4, 5];

export function createVersionMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(48);
  new Float64Array(memory).set([Number.NEGATIVE_INFINITY, -1, -1, -1], BEGAN_AT);
  return memory;
}

export function openVersion(memory: SharedArrayBuffer, clock: SharedClock): SharedVersion {
  const words = new Int32Array(memory);
  const numbers = new Float64Array(memory);
  return {
    clock,
    changes: () => Atomics.load(words, CHANGES),
    changed: () => void Atomics.add(words, CHANGES, 1),
    newest: () =>
      locked(words, () => ({
        beganAt: numbers[BEGAN_AT]!,
        version: numbers[VERSION]!,
        access: numbers[ACCESS]!,
        memberships: numbers[MEMBERSHIPS]!,
        changes: words[COVERED]!,
      })),
    publish: (read) =>
      locked(words, () => {
        const { beganAt, version, access, memberships, changes } = read;
        // A change in between may be missing from it; a later read knows more.
        if (Atomics.load(words, CHANGES) !== changes || beganAt < numbers[BEGAN_AT]!) return read;
        const isNews = [version, access, memberships].some(
          (each, index) => numbers[VERSION + index] !== each,
        );
        // So that no other thread answers what this one knows to be outdated.
        const covered = isNews ? Atomics.add(words, CHANGES, 1) + 1 : changes;
        numbers.set([beganAt, version, access, memberships], BEGAN_AT);
        words[COVERED] = covered;
        return { ...read, changes: covered };
      }),
  };
}
