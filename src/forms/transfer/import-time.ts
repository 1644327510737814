/** A day, or a day and a time of ISO 8601 or the like, with or without a zone. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$/i;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = `(${MONTHS.join("|")})[a-z]*\\.?`;
/** `Tue, 2 Jan 2024 …` and `Jan 2, 2024 …`; the rest is a time. */
const DAY_FIRST = new RegExp(`^(?:[a-z]+,? +)?(\\d{1,2})[ -]${MONTH}[ -](\\d{4})(?:,? +(.+))?$`, "i");
const MONTH_FIRST = new RegExp(`^(?:[a-z]+,? +)?${MONTH} (\\d{1,2}),? (\\d{4})(?:,? +(.+))?$`, "i");
const CLOCK =
  /^(\d{1,2}:\d\d(?::\d\d)?)(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|GMT)?([+-]\d\d:?\d\d)?(?: \(.*\))?)?$/i;

/**
 * The time that a text names, in milliseconds since 1970; null if it names none, or may name several, as 1/2/2024 does. A
 * time without a zone is in UTC.
 */
export function readTime(text: string): number | null {
  const trimmed = text.trim();
  const [, day, time = "00:00", zone] = ISO.exec(trimmed) ?? [];
  if (day !== undefined) return timeAt(day, time, zone);
  const [, d1, month1, year1, rest1] = DAY_FIRST.exec(trimmed) ?? [];
  const [, month2, d2, year2, rest2] = MONTH_FIRST.exec(trimmed) ?? [];
  const [date, month, year, rest] = [d1 ?? d2, month1 ?? month2, year1 ?? year2, rest1 ?? rest2];
  if (date === undefined || month === undefined) return null;
  const [, clock, half, , offset] = rest === undefined ? ["", "00:00"] : (CLOCK.exec(rest) ?? []);
  if (clock === undefined) return null;
  const number = String(MONTHS.indexOf(month.toLowerCase()) + 1).padStart(2, "0");
  const hours = hoursOf(clock, half);
  return hours === null ? null : timeAt(`${year}-${number}-${date.padStart(2, "0")}`, hours, offset);
}

/** A clock time with two digits for the hour; null for an hour that no 12-hour clock has. */
function hoursOf(clock: string, half: string | undefined): string | null {
  const [hour = "", rest] = [clock.split(":")[0], clock.slice(clock.indexOf(":"))];
  if (half === undefined) return hour.padStart(2, "0") + rest;
  if (Number(hour) < 1 || Number(hour) > 12) return null;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return String(hours).padStart(2, "0") + rest;
}

function timeAt(day: string, time: string, zone = "Z"): number | null {
  // Date.parse takes the 31st of February for the 3rd of March.
  const midnight = Date.parse(day);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : "Z";
  const ms = Date.parse(`${day}T${time}${offset}`);
  return ms >= 0 ? ms : null;
}
