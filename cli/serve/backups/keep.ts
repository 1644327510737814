import { DAY_MS } from "../../../src/base/days.ts";
import { usage } from "../../session/usage.ts";
import { countValue } from "../../session/values.ts";

/** How many backups are kept, or one of each of the last days, weeks and months, as `7d,4w,6m`. */
export type Keep = number | string;

/** Reads the value of `--backup-keep`. Throws `invalid`. */
export function keepValue(text: string): Keep {
  const option = "--backup-keep";
  if (/^-?\d+$/.test(text)) return countValue(text, option, 1);
  const units = text.split(",").map((each) => /^[1-9]\d{0,3}([dwm])$/.exec(each)?.[1]);
  if (!units.includes(undefined) && new Set(units).size === units.length) return text;
  throw usage(
    `${option} ${text} is neither a number nor days, weeks and months`,
    "write 7, or 7d,4w,6m to keep one of each of the last 7 days, 4 weeks and 6 months",
  );
}

/** The backups that are not kept, of all: the newest first. A day, week or month without a backup does not count. */
export function outdated<T extends { at: number }>(all: readonly T[], keep: Keep): T[] {
  if (typeof keep === "number") return all.slice(keep);
  const kept = new Set<T>();
  for (const [, count, unit] of keep.matchAll(/(\d+)([dwm])/g)) {
    const newest = new Map<string | number, T>();
    for (const each of all) {
      const period = periodOf(each.at, unit!);
      if (newest.size < Number(count) && !newest.has(period)) newest.set(period, each);
    }
    for (const each of newest.values()) kept.add(each);
  }
  return all.filter((each) => !kept.has(each));
}

/** The day, week from Monday or month of a time in UTC. */
function periodOf(at: number, unit: string): string | number {
  // The first day of 1970 was a Thursday.
  if (unit === "w") return Math.floor((at / DAY_MS + 3) / 7);
  return new Date(at).toISOString().slice(0, unit === "d" ? 10 : 7);
}
