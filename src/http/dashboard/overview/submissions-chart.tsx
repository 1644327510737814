import { shortName } from "../../../access/place.ts";
import { type Day, HOUR_MS, dayOf } from "../../../base/days.ts";
import type { FormStats } from "../../../maintenance/stats.ts";
import type { RecentChange } from "../../../projects/history.ts";
import { type Bar, BarChart } from "../parts/bar-chart.tsx";
import { A } from "../parts/link.tsx";
import { Time } from "../parts/time.tsx";
import { Card } from "../parts/card.tsx";
import { type Labels, toSeries } from "./series.ts";

/** Changes that are listed below the chart. */
const LISTED = 8;

/** Submissions of each day and form, with the days marked on which flags changed. */
export function SubmissionsChart({
  days,
  stats: { submissions },
  changes,
  labels,
  timeZone,
}: {
  /** Oldest first. */
  days: readonly Day[];
  stats: Pick<FormStats, "submissions">;
  /** Newest first. */
  changes: readonly RecentChange[];
  labels: Labels;
  timeZone: string;
}) {
  const entries = submissions
    .filter(({ inbox }) => inbox > 0)
    .map(({ day, project, form: slug, inbox }) => {
      return { bar: day, series: shortName({ project, slug }), count: inbox };
    });
  const { series, valuesOf } = toSeries(entries, "Other forms");
  const marks = Map.groupBy(changes, ({ at }) => dayOf(at, timeZone));
  const bars = days.map(({ day, from }, index): Bar => {
    const label = labels.day(from * HOUR_MS + HOUR_MS / 2);
    // The last day of an inbox's filter is not part of it.
    const until = days[index + 1]?.day ?? null;
    return {
      label,
      values: valuesOf(day),
      tick: (days.length - 1 - index) % 7 === 1 ? label : null,
      link: { to: "/inbox", query: { since: day, until } },
      mark: markOf(marks.get(day) ?? []),
    };
  });
  const total = entries.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card id="submissions-title" title="Submissions a day">
      <BarChart
        id="submissions"
        label={`Submissions of each of the last ${days.length} days by form, without spam: ${total.toLocaleString("en")} in all`}
        series={series.length === 0 ? ["Submissions"] : series}
        unit="All forms"
        bars={bars}
      />
      {changes.length > 0 && <ChangeList changes={changes} />}
    </Card>
  );
}

function markOf(changes: readonly RecentChange[]): string | null {
  const [only] = changes;
  if (!only) return null;
  if (changes.length > 1) return `${changes.length} flag changes`;
  return `flag ${only.flag} ${verbOf(only)}${only.environment === null ? "" : ` in ${only.environment}`}`;
}

function ChangeList({ changes }: { changes: readonly RecentChange[] }) {
  return (
    <div class="stack changes">
      <h3>Flag changes in these days</h3>
      <ul>
        {changes.slice(0, LISTED).map((change) => {
          const { revision, project, environment, flag, at, who, why } = change;
          const path = `/projects/${project}`;
          return (
            <li id={`change-${revision}`}>
              <Time at={at} />
              <span>
                <A to={`${path}/flags/${flag}`}>{flag}</A> {verbOf(change)}
                {environment !== null && ` in ${environment}`}, {project}, by {who}
                {why !== null && `: ${why}`}
              </span>
            </li>
          );
        })}
      </ul>
      {changes.length > LISTED && (
        <p class="soft small">{(changes.length - LISTED).toLocaleString("en")} more are marked above.</p>
      )}
    </div>
  );
}

function verbOf({ wasOn, isOn }: RecentChange): string {
  if (wasOn === null) return "created";
  if (isOn === null) return "deleted";
  if (wasOn === isOn) return "changed";
  return isOn ? "turned on" : "turned off";
}
