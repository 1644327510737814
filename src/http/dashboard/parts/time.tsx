import { DAY_MS } from "../../../base/days.ts";
import { keepLast } from "../../../base/keep.ts";
import { wallTime } from "../../../base/wall-time.ts";
import { useView } from "../view.ts";

/** A formatter for each zone, which has as many names as ways to write its letters large or small. */
const formatters = keepLast<Intl.DateTimeFormat>(50);

/** Texts that are kept: a page has many of few, as hundreds of flags are last read in the same hour. */
const kept = { full: keepLast<string>(1000), short: keepLast<string>(1000), minute: keepLast<string>(1000) };

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

type Props = { at: number; id?: string };

/** A time as short as it is clear, with the full one where the pointer rests. `at` is milliseconds since 1970. */
export function Time({ at, id }: Props) {
  return <When at={at} id={id} hasClock={false} />;
}

/** The same with the time of day, whatever the day. */
export function ExactTime({ at, id }: Props) {
  return <When at={at} id={id} hasClock />;
}

function When({ at, id, hasClock }: { at: number; id: string | undefined; hasClock: boolean }) {
  const { now, timeZone } = useView();
  return (
    <time id={id} datetime={new Date(at).toISOString()} title={formatExact(at, timeZone)}>
      {formatShort(at, { now, timeZone, hasClock })}
    </time>
  );
}

/** `29 Nov 2026, 06:01:35 UTC`. */
export function formatExact(at: number, timeZone: string): string {
  const options = { dateStyle: "medium", timeStyle: "long", timeZone } as const;
  const formatter = () => formatters(timeZone, () => new Intl.DateTimeFormat("en-GB", options));
  return kept.full(`${at} ${timeZone}`, () => formatter().format(at));
}

/**
 * `09:02` of today, `yesterday`, `Friday`, `26 Nov`, `26 Nov 2025`; of what is to come, `today, 18:00`, `tomorrow, 09:00`,
 * `Wed, 09:00`, `1 Dec`. With `hasClock`, each has the time of day.
 */
export function formatShort(
  at: number,
  { now, timeZone, hasClock = false }: { now: number; timeZone: string; hasClock?: boolean },
): string {
  const today = minuteAt(now, timeZone).slice(0, 10);
  const isPast = at <= now;
  return kept.short(`${Math.floor(at / 60_000)} ${today} ${isPast} ${timeZone} ${hasClock}`, () => {
    const [date = "", clock = ""] = minuteAt(at, timeZone).split("T");
    const days = Math.round((Date.parse(date) - Date.parse(today)) / DAY_MS);
    if (days === 0) return isPast ? clock : `today, ${clock}`;
    const weekday = DAYS[new Date(date).getUTCDay()]!;
    const isNear = Math.abs(days) < 7;
    const needsClock = hasClock || (isNear && days > 0);
    const named = days === -1 ? "yesterday" : days === 1 ? "tomorrow" : null;
    const near = named ?? (needsClock ? weekday.slice(0, 3) : weekday);
    return `${isNear ? near : dateIn(date, today)}${needsClock ? `, ${clock}` : ""}`;
  });
}

/** `2026-11-29T06:01`. */
function minuteAt(at: number, timeZone: string): string {
  const minute = Math.floor(at / 60_000);
  return kept.minute(`${minute} ${timeZone}`, () => wallTime(minute * 60_000, timeZone));
}

/** A time as `09:02`. */
export function timeIn(at: number, timeZone: string): string {
  return minuteAt(at, timeZone).slice(11);
}

/** A day as people name it: `Today`, `Yesterday`, `Friday`, `Fri 6 Nov`, `Thu 6 Nov 2025`. */
export function dayIn(at: number, now: number, timeZone: string): string {
  const [day, today] = [at, now].map((each) => minuteAt(each, timeZone).slice(0, 10)) as [string, string];
  const days = (Date.parse(today) - Date.parse(day)) / DAY_MS;
  if (days === 0 || days === 1) return days === 0 ? "Today" : "Yesterday";
  const weekday = DAYS[new Date(day).getUTCDay()]!;
  return days > 1 && days < 7 ? weekday : `${weekday.slice(0, 3)} ${dateIn(day, today)}`;
}

/** `6 Nov`, or `6 Nov 2025` of another year than today. */
function dateIn(day: string, today: string): string {
  const [year = "", month, date] = day.split("-");
  return `${Number(date)} ${MONTHS[Number(month) - 1]}${today.startsWith(year) ? "" : ` ${year}`}`;
}
