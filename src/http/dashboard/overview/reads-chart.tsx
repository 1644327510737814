import { HOUR_MS, hourOf } from "../../../base/days.ts";
import type { HourReads } from "../../../maintenance/stats.ts";
import { BarChart } from "../parts/bar-chart.tsx";
import { A } from "../parts/link.tsx";
import { type Labels, toSeries } from "./series.ts";

/** Time spans of the chart: total hours, and hours of each bar. */
export const SPANS = {
  day: { hours: 24, step: 1, label: "24 hours" },
  week: { hours: 168, step: 6, label: "7 days" },
} as const;

export type Span = keyof typeof SPANS;

/** Reads of flags by environment: each hour of a day, or every six hours of a week. */
export function ReadsChart({
  reads,
  span,
  now,
  labels,
}: {
  reads: readonly HourReads[];
  span: Span;
  now: number;
  labels: Labels;
}) {
  const { hours, step, label } = SPANS[span];
  const end = Math.ceil((hourOf(now) + 1) / step) * step;
  const starts = Array.from({ length: hours / step }, (_, index) => end - hours + index * step);
  const entries = reads.map(({ hour, project, environment, one, all }) => ({
    bar: String(Math.floor(hourOf(Date.parse(hour)) / step) * step),
    series: `${project}/${environment}`,
    count: one + all,
  }));
  const { series, valuesOf } = toSeries(entries, "Others");
  const bars = starts.map((hour) => {
    const at = hour * HOUR_MS;
    return {
      label: `${labels.day(at)}, ${labels.hour(at)}`,
      values: valuesOf(String(hour)),
      tick: tickOf(at, step, labels),
    };
  });
  const total = entries.reduce((sum, { count }) => sum + count, 0);
  return (
    <section class="card" aria-labelledby="reads-title">
      <div class="toolbar">
        <h2 id="reads-title">
          {step === 1 ? "Flag evaluations an hour" : `Flag evaluations in ${step} hours`}
        </h2>
        <div class="tabs" role="group" aria-label="Time span">
          {(Object.keys(SPANS) as Span[]).map((each) => (
            <A to="/" query={{ reads: each }} current={each === span ? "true" : undefined}>
              {SPANS[each].label}
            </A>
          ))}
        </div>
      </div>
      {total === 0 ? (
        <p class="soft">No flag was read in the last {label}.</p>
      ) : (
        <BarChart
          id="reads"
          label={`Requests that read flags in the last ${label} by environment: ${total.toLocaleString("en")} in all`}
          series={series}
          unit="All environments"
          bars={bars}
        />
      )}
    </section>
  );
}

/** Every sixth hour of a day has a name, and every day of a week. */
function tickOf(at: number, step: number, labels: Labels): string | null {
  const hour = Number(labels.hour(at).slice(0, 2));
  if (step === 1) return hour % 6 === 0 ? labels.hour(at) : null;
  return hour < step ? labels.weekday(at) : null;
}
