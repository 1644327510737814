const HOUR: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const WEEKDAY: Intl.DateTimeFormatOptions = { weekday: "short" };

/** Names of times as charts have them, in one time zone. Times are milliseconds since 1970. */
export function createLabels(timeZone: string) {
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
