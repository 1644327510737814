import { HOUR_MS } from "../../../base/days.ts";
import type { CommitMinute } from "../../../maintenance/commit-latency.ts";
import { Card } from "../parts/card.tsx";
import { Spark } from "../parts/spark.tsx";
import { Table } from "../parts/table.tsx";
import { formatCount } from "../parts/text.tsx";
import { timeIn } from "../parts/time.tsx";
import { useView } from "../view.ts";

/** An hour of commits, by its beginning; durations are in milliseconds. */
type Hour = { at: number; median: number; slowest: number };

/** How long commits of the last 24 hours took, by the hour. */
export function CommitsCard({ minutes }: { minutes: readonly CommitMinute[] }) {
  const { timeZone } = useView();
  const hours = [...Map.groupBy(minutes, ({ at }) => Math.floor(at / HOUR_MS))].map(
    ([hour, group]): Hour => ({
      at: hour * HOUR_MS,
      median: medianOf(group),
      slowest: Math.max(...group.map(({ p99 }) => p99)),
    }),
  );
  return (
    <Card id="commits-title" title="Commit latency">
      {hours.length === 0 ? (
        <p class="soft">Nothing has been stored since the server started.</p>
      ) : (
        <>
          <p class="soft">How long commits to the disk took in the last 24 hours, by the hour.</p>
          <Course name="Median" values={hours.map(({ median }) => median)} />
          <Course name="Slowest hundredth" values={hours.map(({ slowest }) => slowest)} />
          <details>
            <summary>Numbers</summary>
            <Table
              caption="Commit latency"
              rows={hours}
              columns={[
                { label: "Hour", heading: true, cell: ({ at }) => timeIn(at, timeZone) },
                { label: "Median", numeric: true, cell: ({ median }) => formatMs(median) },
                { label: "Slowest hundredth", numeric: true, cell: ({ slowest }) => formatMs(slowest) },
              ]}
            />
          </details>
        </>
      )}
    </Card>
  );
}

function Course({ name, values }: { name: string; values: readonly number[] }) {
  return (
    <div>
      <span class="soft small">{name}</span> <b>{formatMs(values.at(-1)!)}</b>
      <Spark values={values} />
    </div>
  );
}

/** Median of all commits of these minutes, estimated from the median of each minute. */
function medianOf(minutes: readonly CommitMinute[]): number {
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
