import type { Versions } from "../changes.ts";
import { locked } from "./lock.ts";

/** A read of the version by the main thread: when it began, by both clocks, and how many changes of this server it covers. */
export type PublishedRead = Required<Pick<Versions, "version" | "access" | "memberships">> & {
  generation: number;
  steady: number;
  wall: number;
  changes: number;
};

/** The version of a shared database, which the main thread of a server reads for all of its threads. */
export type PublishedVersion = {
  /** Publishes a read of the main thread. */
  publish: (read: PublishedRead) => void;
  /** Calls `tell`, in the main thread, once another version than the one before is published. */
  onNews: (tell: () => void) => void;
  /** Says that reads of the main thread fail, until one is published. */
  fail: () => void;
  /** Counts a change of this server, before it is announced. */
  changed: () => void;
  /** Whether another thread has used the version since this was asked last. */
  wasUsed: () => boolean;
  use: () => void;
  changes: () => number;
  /** The newest read; undefined before the first. */
  newest: () => PublishedRead | undefined;
  isFailing: () => boolean;
};

/** The words: the lock, changes of this server, the changes that the read covers, whether it was used, whether reads fail. */
const [CHANGES, COVERED, USED, FAILING] = [1, 2, 3, 4];
/** The doubles behind them. */
const [STEADY, WALL, VERSION, ACCESS, GENERATION, MEMBERSHIPS] = [3, 4, 5, 6, 7, 8];

export function createPublishedMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(72);
  new Float64Array(memory)[VERSION] = -1;
  return memory;
}

export function openPublished(memory: SharedArrayBuffer): PublishedVersion {
  const words = new Int32Array(memory);
  const numbers = new Float64Array(memory);
  const tellers: (() => void)[] = [];
  return {
    publish({ version, access, memberships, generation, steady, wall, changes }) {
      const isNews = locked(words, () => {
        const isNews = [version, access, generation, memberships].some(
          (each, index) => numbers[VERSION + index] !== each,
        );
        numbers.set([steady, wall, version, access, generation, memberships], STEADY);
        words[COVERED] = changes;
        Atomics.store(words, FAILING, 0);
        return isNews;
      });
      if (isNews) for (const tell of tellers) tell();
    },
    onNews: (tell) => void tellers.push(tell),
    fail: () => void Atomics.store(words, FAILING, 1),
    changed: () => void Atomics.add(words, CHANGES, 1),
    wasUsed: () => Atomics.exchange(words, USED, 0) === 1,
    use() {
      if (Atomics.load(words, USED) === 0) Atomics.store(words, USED, 1);
    },
    changes: () => Atomics.load(words, CHANGES),
    newest: () =>
      locked(words, () =>
        numbers[VERSION] === -1
          ? undefined
          : {
              steady: numbers[STEADY]!,
              wall: numbers[WALL]!,
              version: numbers[VERSION]!,
              access: numbers[ACCESS]!,
              generation: numbers[GENERATION]!,
              memberships: numbers[MEMBERSHIPS]!,
              changes: words[COVERED]!,
            },
      ),
    isFailing: () => Atomics.load(words, FAILING) === 1,
  };
}
