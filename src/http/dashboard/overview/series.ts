import { keepLast } from "../../../base/keep.ts";
import { MAX_SERIES } from "../parts/chart.tsx";

/** A number of a chart: which bar it belongs to, and of which series it is. */
export type Entry = { bar: string; series: string; count: number };

/**
 * The series of a chart, the largest first, and the values of each bar in that order. What has no place of its own is
 * summed up as `others`.
 */
export function toSeries(
  entries: readonly Entry[],
  others: string,
): { series: string[]; valuesOf: (bar: string) => number[] } {
  const totals = new Map<string, number>();
  for (const { series, count } of entries) totals.set(series, (totals.get(series) ?? 0) + count);
  const bySize = [...totals].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
  const series = bySize.length > MAX_SERIES ? [...bySize.slice(0, MAX_SERIES - 1), others] : bySize;
  const bars = new Map<string, number[]>();
  for (const { bar, series: name, count } of entries) {
    const values = bars.get(bar) ?? series.map(() => 0);
    bars.set(bar, values);
    const index = series.indexOf(name);
    values[index === -1 ? series.length - 1 : index]! += count;
  }
  return { series, valuesOf: (bar) => bars.get(bar) ?? series.map(() => 0) };
}

const HOUR: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const WEEKDAY: Intl.DateTimeFormatOptions = { weekday: "short" };

/** Labels of time zones: their formatters take longer to make than a page with charts to render. */
const kept = keepLast<Labels>(50);
/** Days of a formatter that are kept. */
const MAX_TEXTS = 400;

/** Names of times as charts have them, in one time zone. Times are milliseconds since 1970. */
export function labelsIn(timeZone: string): Labels {
  return kept(timeZone, () => createLabels(timeZone));
}

function createLabels(timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  const [hour, day, weekday] = [format(HOUR), format(DAY), format(WEEKDAY)];
  const days = keepLast<string>(MAX_TEXTS);
  return {
    /** `14:00` */
    hour: (at: number) => hour.format(at),
    /** `22 Nov` */
    day: (at: number) => days(at, () => day.format(at)),
    /** `Sun` */
    weekday: (at: number) => weekday.format(at),
  };
}

export type Labels = ReturnType<typeof createLabels>;
