/** A histogram: `counts[i]` values were at most `bounds[i]` and above the bound before; the last count is the rest. */
export type Distribution = {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
  /** The last value that was observed. */
  last: number;
};

/** An empty histogram; `bounds` are in ascending order. */
export function createDistribution(bounds: readonly number[]): Distribution {
  return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0, last: 0 };
}

/** Counts the last value once more. */
export function repeat(distribution: Distribution): void {
  observe(distribution, distribution.last);
}

export function observe(distribution: Distribution, value: number): void {
  const { bounds, counts } = distribution;
  let index = 0;
  while (index < bounds.length && value > bounds[index]!) index += 1;
  counts[index]! += 1;
  distribution.sum += value;
  distribution.last = value;
}

/** Both distributions together; they have the same bounds. */
export function addUp(one: Distribution, other: Distribution): Distribution {
  const counts = one.counts.map((count, index) => count + other.counts[index]!);
  return { bounds: one.bounds, counts, sum: one.sum + other.sum, last: other.last };
}

/**
 * The value below which a share of the values is, estimated as if they were spread evenly between two bounds; the last
 * bound for values above it, 0 without values.
 */
export function quantile({ bounds, counts }: Pick<Distribution, "bounds" | "counts">, share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const wanted = share * total;
  let below = 0;
  for (const [index, bound] of bounds.entries()) {
    const count = counts[index]!;
    if (count > 0 && below + count >= wanted) {
      const start = index === 0 ? 0 : bounds[index - 1]!;
      return start + ((bound - start) * (wanted - below)) / count;
    }
    below += count;
  }
  return total === 0 ? 0 : bounds.at(-1)!;
}
