const UNITS = [
  ["year", 31_536_000_000],
  ["month", 2_592_000_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** A time as `3 min. ago`, on the server and in browsers. Both times are milliseconds since 1970. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  const unit = UNITS.find(([, size]) => Math.abs(distance) >= size);
  if (!unit) return distance > 0 ? "in under a minute" : "just now";
  return relative.format(Math.trunc(distance / unit[1]), unit[0]);
}
