import { AppError } from "./errors.ts";
import { keepLast } from "./keep.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

/** The hour of a time in milliseconds since 1970, in hours since 1970. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}

/** Cached: creating a formatter costs as much as formatting 100 dates. */
const formatters = keepLast<Intl.DateTimeFormat>(50);

/** Throws `invalid` for a time zone that is not known. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const options = {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  } as const;
  try {
    return formatters(timeZone, () => new Intl.DateTimeFormat("en-US", options));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError("invalid", `"${timeZone}" is not a time zone such as Europe/Berlin`);
  }
}

/** The date of a time in a time zone, such as `2026-01-31`. `ms` is since 1970. Throws `invalid` for the time zone. */
export function dayOf(ms: number, timeZone: string): string {
  const [month, day, year = ""] = formatterOf(timeZone).format(ms).split("/");
  return `${year.padStart(4, "0")}-${month}-${day}`;
}

/** A day in a time zone, and its hours since 1970: from `from` until before `to`. */
export type Day = { day: string; from: number; to: number };

/** Most hours of a day: those of clocks that are set back. */
const MAX_HOURS = 26;

/**
 * The last days up to that of a time, oldest first. An hour in which a day ends counts for the day it began in. Throws
 * `invalid` for the time zone.
 */
export function lastDays(now: number, days: number, timeZone: string): readonly Day[] {
  const current = hourOf(now);
  // They are the same for an hour.
  if (latest?.current === current && latest.days === days && latest.timeZone === timeZone) return latest.list;
  const list = findLastDays(current, days, timeZone);
  latest = { current, days, timeZone, list };
  return list;
}

let latest: { current: number; days: number; timeZone: string; list: readonly Day[] } | undefined;

function findLastDays(current: number, days: number, timeZone: string): readonly Day[] {
  const list: Day[] = [];
  let hour = current;
  while (list.length < days) {
    const day = dayOf(hour * HOUR_MS, timeZone);
    const from = firstHour(day, hour, timeZone);
    const to = list.at(-1)?.from ?? hour + 1;
    list.push({ day, from, to });
    hour = from - 1;
  }
  return list.toReversed();
}

/** The first hour of a day to which `hour` belongs. */
function firstHour(day: string, hour: number, timeZone: string): number {
  const isIn = (each: number) => dayOf(each * HOUR_MS, timeZone) === day;
  // Nearly always `hour` is the last of 24.
  if (isIn(hour - 23) && !isIn(hour - 24)) return hour - 23;
  let [before, within] = [hour - MAX_HOURS, hour];
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (isIn(middle)) within = middle;
    else before = middle;
  }
  return within;
}
