import { formOf } from "../forms/form-words.ts";
import { type Day, HOUR_MS, hourOf } from "../../../base/days.ts";
import type { FormStats } from "../../../maintenance/stats.ts";
import type { RecentRevision } from "../../../projects/history.ts";
import { type Bar, BarChart } from "../parts/bar-chart.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { A } from "../parts/link.tsx";
import { FilterForm } from "../parts/list.tsx";
import { counted } from "../parts/text.tsx";
import { inboxPath } from "../paths.ts";
import { Time } from "../parts/time.tsx";
import { Card } from "../parts/card.tsx";
import { type Labels, toSeries } from "./series.ts";

/** Changes that are listed below the chart. */
const LISTED = 8;

/** Range and form of the chart; null for all forms. */
export type Chosen = { days: number; form: string | null };

type Props = {
  /** Oldest first. */
  days: readonly Day[];
  chosen: Chosen;
  stats: Pick<Required<FormStats>, "submissions" | "before" | "forms">;
  /** Newest first. */
  changes: readonly RecentRevision[];
  labels: Labels;
};

/** Submissions of each day and form, with their number and its trend; the days on which flags changed are marked. */
export function SubmissionsChart(props: Props) {
  const { days, chosen, stats, changes, labels } = props;
  const isChosen = (each: { project: string; form: string }) =>
    chosen.form === null || formOf(each) === chosen.form;
  const entries = stats.submissions
    .filter((each) => each.inbox > 0 && isChosen(each))
    .map((each) => ({ bar: each.day, series: formOf(each), count: each.inbox }));
  const { series, valuesOf } = toSeries(entries, "Other forms");
  const marks = Map.groupBy(changes, ({ at }) => days.findLast(({ from }) => from <= hourOf(at))?.day);
  const each = Math.max(2, Math.round(days.length / 4));
  const bars = days.map(({ day, from }, index): Bar => {
    const label = labels.day(from * HOUR_MS + HOUR_MS / 2);
    // The last day of an inbox's filter is not part of it.
    const until = days[index + 1]?.day ?? null;
    const own = marks.get(day) ?? [];
    return {
      label,
      values: valuesOf(day),
      tick: (days.length - 1 - index) % each === 1 ? label : null,
      link: {
        to: chosen.form === null ? "/inbox" : inboxPath(chosen.form),
        query: { since: day, until },
      },
      mark: markOf(own),
      flags: own.map((change) => ({ flag: change.flag, text: changeInWords(change) })),
    };
  });
  const total = sum(entries.map(({ count }) => count));
  const before = sum(stats.before.filter(isChosen).map(({ inbox }) => inbox));
  const of = chosen.form === null ? "by form, " : `to ${chosen.form}, `;
  return (
    <Card id="submissions-title" title="Submissions a day">
      <ChartFilter {...props} />
      <p>
        <strong>{total.toLocaleString("en")}</strong> in {counted(days.length, "day")}
        {before > 0 && `, ${trendOf(total, before)} than in the ${counted(days.length, "day")} before`}
      </p>
      <BarChart
        id="submissions"
        label={`Submissions of each of the last ${counted(days.length, "day")} ${of}without spam: ${total.toLocaleString("en")} in all`}
        series={series.length === 0 ? ["Submissions"] : series}
        unit="All forms"
        bars={bars}
      />
      {changes.length > 0 && <ChangeList changes={changes} />}
    </Card>
  );
}

/** Days that the range offers. */
const RANGES = [7, 30, 90];
/** Forms that a list offers; of more, the name is typed. */
const FORMS = 30;
/** Names that are suggested while one is typed. */
const MOST = 100;

function ChartFilter({ chosen, stats }: Pick<Props, "chosen" | "stats">) {
  const { days, form } = chosen;
  const ranges = [...new Set([...RANGES, days])].toSorted((a, b) => a - b);
  const names = stats.forms.map(formOf);
  return (
    <FilterForm to="/" label="Chart">
      <SelectField
        name="days"
        label="Range"
        value={String(days)}
        options={ranges.map((each) => ({ value: String(each), label: counted(each, "day") }))}
      />
      {names.length > FORMS ? (
        <TextField
          name="form"
          label="Form"
          value={form}
          placeholder="All forms"
          suggestions={names.slice(0, MOST)}
        />
      ) : (
        names.length > 1 && (
          <SelectField
            name="form"
            label="Form"
            value={form ?? ""}
            options={[
              { value: "", label: "All forms" },
              ...names.map((name) => ({ value: name, label: name })),
            ]}
          />
        )
      )}
    </FilterForm>
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** `12 % more`. */
function trendOf(now: number, before: number): string {
  const percent = Math.round(Math.abs(now / before - 1) * 100);
  return `${percent.toLocaleString("en")} % ${now < before ? "fewer" : "more"}`;
}

function markOf(changes: readonly RecentRevision[]): string | null {
  const [only] = changes;
  if (!only) return null;
  if (changes.length > 1) return `${changes.length} flag changes`;
  return `flag ${changeInWords(only)}`;
}

/** `checkout turned on in production`. */
function changeInWords(change: RecentRevision): string {
  const { flag, environment } = change;
  return `${flag} ${verbOf(change)}${environment === null ? "" : ` in ${environment}`}`;
}

function ChangeList({ changes }: { changes: readonly RecentRevision[] }) {
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

function verbOf({ wasOn, isOn }: RecentRevision): string {
  if (wasOn === null) return "created";
  if (isOn === null) return "deleted";
  if (wasOn === isOn) return "changed";
  return isOn ? "turned on" : "turned off";
}
