import { keepLast } from "../../base/keep.ts";

/** Units in milliseconds, and how many of one are written before the next. */
const UNITS = [
  ["minute", 60_000, 60],
  ["hour", 3_600_000, 24],
  ["day", 86_400_000, 30],
  ["month", 2_592_000_000, 12],
  ["year", 31_536_000_000, Infinity],
] as const;

/** Made with the first text, which a page needs late: it takes longer than all else of a script. */
let relative: Intl.RelativeTimeFormat | undefined;

/** Texts that are kept: a page has many of few. */
const written = keepLast<string>(1000);

/** A time as `3 min. ago`, rounded, on the server and in browsers. Both times are milliseconds since 1970. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) < 60_000) return distance > 0 ? "in under a minute" : "just now";
  const [unit, size] = UNITS.find(([, size, most]) => Math.round(Math.abs(distance) / size) < most)!;
  const count = Math.round(distance / size);
  return written(`${count} ${unit}`, () => {
    relative ??= new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
    return relative.format(count, unit);
  });
}
