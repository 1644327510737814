const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;

/** Milliseconds since 1970 of a date in ISO 8601 with its zone, or of a number; undefined for what is none. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string" || value.length > 40) return undefined;
  const [, year, month, day] = ISO.exec(value) ?? [];
  if (day === undefined) return undefined;
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > lastDay) return undefined;
  const time = Date.parse(value.replace(" ", "T").toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}
