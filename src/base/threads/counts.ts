import { clock } from "../clock.ts";
import { locked } from "./lock.ts";

/** Entries that a key may have, so that a search is short. */
const WAYS = 16;
const BUCKETS = 4096;
/** An entry: two halves of the key's hash, the count, a gap, and the end as a double. */
const ENTRY_WORDS = 6;
/** The lock, a gap, and the seed of the hashes. */
const HEADER_WORDS = 4;

/** Counts by key in memory that all threads of a server share. */
export type Counts = {
  /** Counts one more in the window of a key; opens one of `ms` at the time `at` if none is open. */
  count: (key: string, at: number, ms: number) => { count: number; endsAt: number };
  /** Takes a place of a key, until `leave` is called; false if `most` are taken. */
  enter: (key: string, most: number) => boolean;
  leave: (key: string) => void;
};

/** Memory for {@link openCounts}. The pages of it that no key uses take no memory of the machine. */
export function createCountsMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((HEADER_WORDS + BUCKETS * WAYS * ENTRY_WORDS) * 4);
  new Uint8Array(memory, 8, 8).set(clock.random(8));
  return memory;
}

/**
 * Opens shared counts. A key is known by 64 bits of a seeded hash. A window whose bucket is full replaces the one there that
 * ends first; places are never replaced, so windows and places have a memory each.
 */
export function openCounts(memory: SharedArrayBuffer): Counts {
  const words = new Int32Array(memory);
  const ends = new Float64Array(memory);
  const [seed] = new BigUint64Array(memory, 8, 1);

  /** The entry of a key, or one to put it in: free, or the first to end. */
  const find = (low: number, high: number, at: number): number => {
    const bucket = (low & (BUCKETS - 1)) * WAYS;
    let [best, first] = [-1, Number.POSITIVE_INFINITY];
    for (let way = 0; way < WAYS; way += 1) {
      const entry = HEADER_WORDS + (bucket + way) * ENTRY_WORDS;
      const endsAt = ends[(entry + 4) / 2]!;
      const isOpen = endsAt > at;
      if (isOpen && words[entry] === low && words[entry + 1] === high) return entry;
      if (endsAt < first) [best, first] = [entry, isOpen ? endsAt : Number.NEGATIVE_INFINITY];
    }
    return best;
  };
  const isOf = (entry: number, low: number, high: number, at: number) =>
    words[entry] === low && words[entry + 1] === high && ends[(entry + 4) / 2]! > at;
  const begin = (entry: number, low: number, high: number, endsAt: number) => {
    words[entry] = low;
    words[entry + 1] = high;
    words[entry + 2] = 0;
    ends[(entry + 4) / 2] = endsAt;
  };
  /** Calls `work` with the entry of a key and with whether it is new there, while no other thread does. */
  const within = <T>(key: string, at: number, work: (entry: number, isNew: boolean, hash: Hash) => T): T => {
    const hash = Bun.hash.wyhash(key, seed);
    const [low, high] = [Number(hash & 0xff_ff_ff_ffn) | 0, Number(hash >> 32n) | 0];
    return locked(words, () => {
      const entry = find(low, high, at);
      return work(entry, entry === -1 || !isOf(entry, low, high, at), { low, high });
    });
  };

  return {
    count: (key, at, ms) =>
      within(key, at, (entry, isNew, { low, high }) => {
        if (isNew) begin(entry, low, high, at + ms);
        words[entry + 2]! += 1;
        return { count: words[entry + 2]!, endsAt: ends[(entry + 4) / 2]! };
      }),
    enter: (key, most) =>
      within(key, 0, (entry, isNew, { low, high }) => {
        // Every entry of the bucket has places taken: as many clients are here as no machine has connections for.
        if (entry === -1) return false;
        if (isNew) begin(entry, low, high, Number.POSITIVE_INFINITY);
        if (words[entry + 2]! >= most) return false;
        words[entry + 2]! += 1;
        return true;
      }),
    leave: (key) =>
      within(key, 0, (entry, isNew) => {
        if (isNew) return;
        words[entry + 2]! -= 1;
        if (words[entry + 2] === 0) ends[(entry + 4) / 2] = 0;
      }),
  };
}

type Hash = { low: number; high: number };
