import { DAY_MS } from "./days.ts";
import { keepLast } from "./keep.ts";

/** Cached: creating a formatter costs as much as formatting 100 dates. */
const formats = keepLast<Intl.DateTimeFormat>(50);

const WALL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/**
 * A time as the clocks of a zone show it, in the form of HTML's local dates and times: `2027-01-31T12:00`, with seconds
 * if there are any. `at` is milliseconds since 1970.
 */
export function wallTime(at: number, timeZone: string): string {
  return clockAt(at, timeZone).replace(/:00$/, "");
}

/**
 * The time that the clocks of a zone show as `text`, in milliseconds since 1970; null for a text that is no such time. A
 * time that the clocks skip is the one as much later as they skip, and of one that they show twice it is the first.
 */
export function parseWallTime(text: string, timeZone: string): number | null {
  const asUtc = WALL_TIME.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  // `Date.parse` takes the 31st of February for the 3rd of March.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(text.slice(0, 10))) return null;
  const offsetAt = (at: number) => Date.parse(`${clockAt(at, timeZone)}Z`) - Math.trunc(at / 1000) * 1000;
  // No zone is a day from UTC, so that a change of the clocks near the time lies between the two.
  const [before, after] = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)];
  const isLater = offsetAt(asUtc - before) !== before && offsetAt(asUtc - after) === after;
  return asUtc - (isLater ? after : before);
}

function clockAt(at: number, timeZone: string): string {
  const options = { timeZone, dateStyle: "short", timeStyle: "medium" } as const;
  const format = formats(timeZone, () => new Intl.DateTimeFormat("sv-SE", options));
  return format.format(at).replace(" ", "T");
}
