import { HOUR_MS } from "../../../base/days.ts";
import type { CommitMinute } from "../../../maintenance/commit-latency.ts";
import { line } from "d3-shape";
import { Chart, Numbers, Plot, formatCount, heights, rounded } from "../parts/chart.tsx";
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
        <Lines points={points} />
      )}
    </Card>
  );
}

/** An hour of the chart; `values` are of each series, null without commits. */
type Point = { label: string; tick: string | null; values: readonly (number | null)[] };

const SERIES = ["p50", "p99"];
const LABEL =
  "How long commits to the disk took in the last 24 hours, in milliseconds: the median and the slowest hundredth";

/** A line for each series, the first whole and the other dashed, with its numbers in a table. */
function Lines({ points }: { points: readonly Point[] }) {
  const all = points.flatMap(({ values }) => values.filter((value) => value !== null));
  const y = heights(Math.max(...all, Number.EPSILON));
  const x = (index: number) => ((index + 0.5) * 100) / points.length;
  const known = points.filter(({ values }) => values.some((value) => value !== null));
  const pathOf = (of: number) =>
    line<Point>()
      .defined(({ values }) => values[of] !== null)
      .x((_, index) => rounded(x(index)))
      .y(({ values }) => rounded(y(values[of]!)))([...points]) ?? "";
  const numbers = (
    <Numbers label={LABEL} series={SERIES}>
      {known.map(({ label, values }) => (
        <tr>
          <th scope="row">{label}</th>
          {values.map((value) => (
            <td class="numeric">{value === null ? "" : formatMs(value)}</td>
          ))}
        </tr>
      ))}
    </Numbers>
  );
  return (
    <Chart id="commits" series={SERIES} numbers={numbers}>
      <Plot
        label={LABEL}
        scale={y}
        format={formatMs}
        ticks={points.map(({ tick }, index) => [x(index), tick])}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
          {SERIES.map((_, of) => (
            <path class={`line s${of + 1}`} d={pathOf(of)} />
          ))}
        </svg>
      </Plot>
    </Chart>
  );
}

/** Median of all commits of these minutes, estimated from the median of each minute. */
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
