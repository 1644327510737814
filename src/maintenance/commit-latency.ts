import type { ClockAndRandom } from "../base/clock.ts";
import type { Job } from "../base/jobs.ts";
import { type Distribution, quantile } from "../base/metrics.ts";
import type { DatabaseStore } from "./store.ts";

const MINUTE_MS = 60_000;
/** Minutes that are kept: a day. */
const KEPT = 24 * 60;

/**
 * Durations of the commits in the minute up to `at` (milliseconds since 1970), in milliseconds. They are estimates from
 * a histogram; `max` is the upper end of the range with the slowest commit.
 */
export type CommitMinute = { at: number; commits: number; p50: number; p99: number; max: number };

/** Keeps the times of commits of the last 24 hours in memory, of each minute with a commit. */
export function createCommitLatency({
  store,
  now,
}: Pick<ClockAndRandom, "now"> & { store: Pick<DatabaseStore, "stats"> }): {
  /** Oldest first. */
  minutes: () => readonly CommitMinute[];
  job: Job;
} {
  const minutes: CommitMinute[] = [];
  let before: readonly number[] | undefined;
  return {
    minutes: () => minutes,
    job: {
      name: "commit-latency",
      every: MINUTE_MS,
      async run() {
        const { commitSeconds } = await store.stats();
        const counts = commitSeconds.counts.map((count, index) => count - (before?.[index] ?? 0));
        before = [...commitSeconds.counts];
        const minute = summaryOf({ bounds: commitSeconds.bounds, counts }, now());
        if (minute) minutes.push(minute);
        while (minutes.length > 0 && minutes[0]!.at <= now() - KEPT * MINUTE_MS) minutes.shift();
      },
    },
  };
}

/** Undefined without a commit. */
function summaryOf(times: Pick<Distribution, "bounds" | "counts">, at: number): CommitMinute | undefined {
  const commits = times.counts.reduce((sum, count) => sum + count, 0);
  if (commits === 0) return undefined;
  const ms = (share: number) => Math.round(quantile(times, share) * 1e6) / 1000;
  const slowest = times.counts.findLastIndex((count) => count > 0);
  const max = (times.bounds[slowest] ?? times.bounds.at(-1)!) * 1000;
  return { at, commits, p50: ms(0.5), p99: ms(0.99), max };
}
