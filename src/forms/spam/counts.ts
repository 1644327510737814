/**
 * Counts by hashes of 32 bits in a flat array with open addressing: a `Map` of a message's hundred features alone takes
 * longer than reading its text does.
 */
export type Counts = {
  /** Each hash and behind it its count, which are read together. Empty places have 0 as both. */
  places: Int32Array;
  /** How many hashes there are. */
  size: number;
};

/** Counts that grow once they hold more than half of `capacity`, a power of two. */
export function createCounts(capacity: number): Counts {
  return { places: new Int32Array(2 * capacity), size: 0 };
}

/** The count of a hash; 0 for an unknown one. */
export function countOf({ places }: Counts, hash: number): number {
  return places[placeOf(places, hash) + 1]!;
}

/** Adds to the count of a hash and returns the sum. */
export function addCount(counts: Counts, hash: number, amount: number): number {
  const { places } = counts;
  const place = placeOf(places, hash);
  if (places[place] === 0) {
    places[place] = hash;
    counts.size += 1;
  }
  const sum = (places[place + 1]! += amount);
  if (counts.size * 4 > places.length) counts.places = grown(places);
  return sum;
}

/** The place of a hash, or the empty one that it would get. */
export function placeOf(places: Int32Array, hash: number): number {
  const last = places.length - 1;
  let place = (hash << 1) & last;
  while (places[place] !== hash && places[place] !== 0) place = (place + 2) & last;
  return place;
}

function grown(places: Int32Array): Int32Array {
  const more = new Int32Array(places.length * 2);
  for (let from = 0; from < places.length; from += 2) {
    const hash = places[from]!;
    if (hash === 0) continue;
    const place = placeOf(more, hash);
    more[place] = hash;
    more[place + 1] = places[from + 1]!;
  }
  return more;
}
