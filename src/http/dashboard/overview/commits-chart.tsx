import { HOUR_MS } from "../../../base/days.ts";
import type { CommitMinute } from "../../../maintenance/commit-latency.ts";
import { formatCount, LineChart, type Point } from "../parts/chart.tsx";
import { Card } from "../parts/card.tsx";
import type { Labels } from "./series.ts";

const STEPS = 24;

/** How long commits of the last 24 hours took, by the hour. */
export function CommitsChart({
  minutes,
  now,
  labels,
}: {
  minutes: readonly CommitMinute[];
  now: number;
  labels: Labels;
}) {
  const groups = Map.groupBy(minutes, ({ at }) => Math.floor(at / HOUR_MS));
  const last = Math.floor(now / HOUR_MS);
  const points = Array.from({ length: STEPS }, (_, index): Point => {
    const step = last - STEPS + 1 + index;
    const group = groups.get(step);
    const label = labels.hour(step * HOUR_MS);
    return {
      label,
      tick: /^(00|06|12|18):/.test(label) ? label : null,
      values: group ? [median(group), Math.max(...group.map(({ p99 }) => p99))] : [null, null],
    };
  });
  return (
    <Card id="commits-title" title="Commit latency">
      {minutes.length === 0 ? (
        <p class="soft">Nothing has been stored since the server started.</p>
      ) : (
        <LineChart
          id="commits"
          label="How long commits to the disk took in the last 24 hours, in milliseconds: the median and the slowest hundredth"
          series={["p50", "p99"]}
          points={points}
          format={formatMs}
        />
      )}
    </Card>
  );
}

/** Of all commits of these minutes, estimated from the median of each minute. */
function median(minutes: readonly CommitMinute[]): number {
  const total = minutes.reduce((sum, { commits }) => sum + commits, 0);
  let below = 0;
  for (const { commits, p50 } of minutes.toSorted((a, b) => a.p50 - b.p50)) {
    below += commits;
    if (below * 2 >= total) return p50;
  }
  return 0;
}

/** Milliseconds, such as `0.25 ms`. */
function formatMs(ms: number): string {
  return `${formatCount(Number(ms.toPrecision(2)))} ms`;
}
