const formats = new Map<string, Intl.DateTimeFormat>();

/** Formatters that are kept; making one takes longer than a hundred uses. */
const MAX_KEPT = 50;

/** A time as a field for times has it, in a time zone: `2027-01-31T12:00`, with seconds where there are any. */
export function toLocal(at: number, timeZone: string): string {
  return clockOf(at, timeZone).replace(/:00$/, "");
}

/**
 * The time that a field for times names in a time zone, in milliseconds since 1970; null for another text. A time that
 * clocks skip is the one an hour later.
 */
export function fromLocal(text: string, timeZone: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return null;
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  const offsetAt = (at: number) => Date.parse(`${clockOf(at, timeZone)}Z`) - at;
  // The offset is right only at the time itself, which the first guess may miss by a change of clocks.
  const guess = asUtc - offsetAt(Math.trunc(asUtc / 1000) * 1000);
  return asUtc - offsetAt(Math.trunc(guess / 1000) * 1000);
}

function clockOf(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    if (formats.size >= MAX_KEPT) formats.clear();
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    formats.set(timeZone, format);
  }
  return format.format(at).replace(" ", "T");
}
