const formats = new Map<string, Intl.DateTimeFormat>();

/** A time as the clocks of a zone show it, such as `2027-01-31T12:00`, the form of HTML's local dates and times. */
export function wallTime(at: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const [year, month, day] = [parts.get("year")!.padStart(4, "0"), parts.get("month"), parts.get("day")];
  return `${year}-${month}-${day}T${parts.get("hour")}:${parts.get("minute")}`;
}

/**
 * The inverse of {@link wallTime}, in milliseconds since 1970; undefined where the text is no local date and time. Of an
 * hour that the clocks show twice it is the first, of one that they skip the hour behind it.
 */
export function parseWallTime(text: string, timeZone: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?$/.exec(text);
  const asUtc = match ? Date.parse(`${match[1]}T${match[2]}Z`) : Number.NaN;
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(match![1]!)) return undefined;
  const offsetAt = (at: number) => Date.parse(`${wallTime(at, timeZone)}Z`) - at;
  // The clocks change by no more than a day, so one of the offsets around is right.
  const candidates = [asUtc - offsetAt(asUtc - 86_400_000), asUtc - offsetAt(asUtc + 86_400_000)];
  const exact = candidates.filter((at) => Date.parse(`${wallTime(at, timeZone)}Z`) === asUtc);
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
}
