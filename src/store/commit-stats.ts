import { clock } from "../base/clock.ts";
import { type Distribution, createDistribution, observe } from "../base/metrics.ts";

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const WRITES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Counts commits by their seconds and by their writes; `start` is a time of the steady clock. */
export function createCommitStats() {
  const stats = { commitSeconds: createDistribution(SECONDS), commitWrites: createDistribution(WRITES) };
  return {
    stats,
    add(start: number, writes: number) {
      observe(stats.commitSeconds, (clock.steady() - start) / 1000);
      observe(stats.commitWrites, writes);
    },
  };
}

export type CommitStats = ReturnType<typeof createCommitStats>;

/** Memory for {@link openCommitStats}. */
export function createCommitMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer((SECONDS.length + WRITES.length + 4) * 8);
}

/** The same counts in shared memory: one thread counts, others read. */
export function openCommitStats(memory: SharedArrayBuffer): CommitStats {
  const numbers = new Float64Array(memory);
  const open = (bounds: readonly number[], start: number) => {
    const sum = start + bounds.length + 1;
    return {
      observe(value: number) {
        const index = bounds.findIndex((bound) => value <= bound);
        numbers[start + (index === -1 ? bounds.length : index)]! += 1;
        numbers[sum]! += value;
      },
      read: (): Distribution => ({
        bounds,
        counts: [...numbers.subarray(start, sum)],
        sum: numbers[sum]!,
        last: 0,
      }),
    };
  };
  const seconds = open(SECONDS, 0);
  const writes = open(WRITES, SECONDS.length + 2);
  return {
    get stats() {
      return { commitSeconds: seconds.read(), commitWrites: writes.read() };
    },
    add(start, count) {
      seconds.observe((clock.steady() - start) / 1000);
      writes.observe(count);
    },
  };
}
