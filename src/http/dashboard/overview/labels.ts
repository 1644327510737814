const HOUR: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const WEEKDAY: Intl.DateTimeFormatOptions = { weekday: "short" };

/** Labels that are kept: their formatters take longer to make than a page with charts to render. */
const MAX_KEPT = 50;
const kept = new Map<string, Labels>();

/** Names of times as charts have them, in one time zone. Times are milliseconds since 1970. */
export function labelsIn(timeZone: string): Labels {
  let labels = kept.get(timeZone);
  if (!labels) {
    if (kept.size >= MAX_KEPT) kept.clear();
    labels = createLabels(timeZone);
    kept.set(timeZone, labels);
  }
  return labels;
}

function createLabels(timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  const [hour, day, weekday] = [format(HOUR), format(DAY), format(WEEKDAY)];
  return {
    /** `14:00` */
    hour: (at: number) => hour.format(at),
    /** `22 Nov` */
    day: (at: number) => day.format(at),
    /** `Sun` */
    weekday: (at: number) => weekday.format(at),
  };
}

export type Labels = ReturnType<typeof createLabels>;
