/** A source of chance that a seed repeats. */
export type Chance = {
  /** A number from 0 up to, but without, `below`. */
  int: (below: number) => number;
  pick: <T>(values: readonly T[]) => T;
  /** Whether something happens that happens once in `times`. */
  once: (times: number) => boolean;
  bytes: (length: number) => Uint8Array<ArrayBuffer>;
};

/** Creates a source: xorshift128, seeded by what mixes the seed. */
export function createChance(seed: number): Chance {
  const state = new Uint32Array(4);
  let mixed = seed >>> 0;
  for (const index of state.keys()) {
    mixed = (mixed + 0x9e3779b9) >>> 0;
    let value = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
    state[index] = (value ^ (value >>> 16)) | 1;
  }
  const next = (): number => {
    let a = state[3]!;
    const first = state[0]!;
    state.copyWithin(1, 0, 3);
    a ^= a << 11;
    a ^= a >>> 8;
    state[0] = a ^ first ^ (first >>> 19);
    return state[0];
  };
  const int = (below: number) => Math.floor((next() / 2 ** 32) * below);
  return {
    int,
    pick: (values) => values[int(values.length)]!,
    once: (times) => int(times) === 0,
    bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff),
  };
}
