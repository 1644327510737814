import { own } from "./shapes/own.ts";

/** Seconds in each unit of a duration. */
const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Units that a duration is shown in, the largest first. */
const SHOWN = ["d", "h", "m", "s"] as const;

/** `60s`, `5m`, `12h`, `90d`, `2w` in seconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * own(SECONDS, unit)!;
}

/** The inverse of {@link parseDuration}, in the largest unit that is exact. */
export function formatDuration(seconds: number): string {
  const unit = SHOWN.find((unit) => seconds % SECONDS[unit] === 0)!;
  return `${seconds / SECONDS[unit]}${unit}`;
}

/** A duration for a sentence, in the largest unit that is exact: `6 minutes`, `1 day`. */
export function durationInWords(seconds: number): string {
  const text = formatDuration(seconds);
  const count = text.slice(0, -1);
  const unit = { s: "second", m: "minute", h: "hour", d: "day" }[text.at(-1) as (typeof SHOWN)[number]];
  return `${count} ${unit}${count === "1" ? "" : "s"}`;
}

/** A measured duration as people say it, in two units at most: `45 s`, `12 min`, `3 h 12 min`, `37 h`, `5 days`. */
export function roughDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes >= 600 && minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  if (minutes < 600)
    return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
  return `${Math.round(minutes / (24 * 60))} days`;
}

/** So many in so many seconds. */
export type Rate = { count: number; seconds: number };

/** `20/h` and `5/10m` as a count in seconds; undefined if the text is not a rate. */
export function parseRate(text: string): Rate | undefined {
  const [, count, amount, unit] = /^(\d{1,7})\/(\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  return { count: Number(count), seconds: Number(amount || "1") * own(SECONDS, unit)! };
}

/** The inverse of {@link parseRate}. */
export function formatRate({ count, seconds }: Rate): string {
  return `${count}/${formatDuration(seconds).replace(/^1(?=[a-z])/, "")}`;
}
