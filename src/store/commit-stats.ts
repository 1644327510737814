import { clock } from "../base/clock.ts";
import { createDistribution, observe } from "../base/metrics.ts";

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
