const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;

/** Milliseconds since 1970 of a date in ISO 8601 with its zone, or of a number; undefined for what is none. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  const [text, year, month, day] = (typeof value === "string" && ISO.exec(value)) || [];
  // A day that its month does not have would be one of the next month.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (text === undefined || date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1)
    return undefined;
  const time = Date.parse(text.replace(" ", "T").toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}
