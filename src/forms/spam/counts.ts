/**
 * Counts by hashes of 32 bits in two flat arrays with open addressing: a `Map` of a message's hundred features alone takes
 * longer than reading its text does.
 */
export type Counts = {
  keys: Int32Array;
  values: Int32Array;
  /** How many keys there are. */
  size: number;
};

/** Counts that grow once they hold more than half of `capacity`, a power of two. */
export function createCounts(capacity: number): Counts {
  return { keys: new Int32Array(capacity), values: new Int32Array(capacity), size: 0 };
}

/** The count of a hash; 0 for an unknown one. */
export function countOf({ keys, values }: Counts, hash: number): number {
  return values[placeOf(keys, hash)]!;
}

/** Adds to the count of a hash and returns the sum. */
export function addCount(counts: Counts, hash: number, amount: number): number {
  const place = placeOf(counts.keys, hash);
  if (counts.values[place] === 0) {
    counts.keys[place] = hash;
    counts.size += 1;
  }
  const sum = (counts.values[place]! += amount);
  if (counts.size * 2 > counts.keys.length) grow(counts);
  return sum;
}

/** The place of a hash, or the empty one that it would get. Empty places have 0 as their key. */
export function placeOf(keys: Int32Array, hash: number): number {
  const last = keys.length - 1;
  let place = hash & last;
  while (keys[place] !== hash && keys[place] !== 0) place = (place + 1) & last;
  return place;
}

function grow(counts: Counts): void {
  const { keys, values } = counts;
  counts.keys = new Int32Array(keys.length * 2);
  counts.values = new Int32Array(keys.length * 2);
  for (const [index, hash] of keys.entries()) {
    if (hash === 0) continue;
    const place = placeOf(counts.keys, hash);
    counts.keys[place] = hash;
    counts.values[place] = values[index]!;
  }
}
