import { keepLast } from "../../../base/keep.ts";
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
