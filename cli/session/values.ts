import { own } from "../../src/base/shapes/own.ts";
import { parseBytes } from "../../src/base/bytes.ts";
import { type Rate, parseDuration, parseRate } from "../../src/base/units.ts";
import { usage } from "./usage.ts";

/** `10MB`, `500k`, `2048` in bytes; `default` as null. Throws `invalid`, also for a number below 1 KB without a unit. */
export function sizeValue(text: string, option: string): number | null {
  if (text === "default") return null;
  const bytes = parseBytes(text);
  if (bytes === undefined) {
    const hint = /^\d+$/.test(text)
      ? `the unit is missing: ${option} ${text}MB; ${text} bytes are ${text}B`
      : "sizes look like 10MB or 500KB";
    throw usage(`${option} ${text} is not a size`, hint);
  }
  return bytes;
}

/** A whole number from `least`. Throws `invalid`. */
export function countValue(text: string, option: string, least = 0): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least) return count;
  const hint = /^-?\d{1,9}$/.test(text)
    ? "it is too small"
    : /^\d{10,}$/.test(text)
      ? "it is too large"
      : `write digits alone, as in ${option} ${Math.max(least, 10)}`;
  throw usage(`${option} ${text} is not a whole number from ${least}`, hint);
}

/** Whether a text removes a setting: `none` or `off`. */
export function isUnset(text: string): boolean {
  return text === "none" || text === "off";
}

/** `on` as true, `off` and `none` as false. Throws `invalid`. */
export function switchValue(text: string, option: string): boolean {
  if (text === "on" || isUnset(text)) return text === "on";
  const meant = /^(true|yes|1|enabled?)$/i.test(text) ? "on" : "off";
  const isKnown = meant === "on" || /^(false|no|0|disabled?)$/i.test(text);
  throw usage(`${option} is on or off, not ${text}`, isKnown ? `write ${option} ${meant}` : undefined);
}

/** `60s`, `5m`, `12h`, `1d` in seconds. Throws `invalid`. */
export function durationValue(text: string, option: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw usage(`${option} ${text} is not a time`, spanHint(text, option));
  return seconds;
}

/** The same for a span that is longer than none. Throws `invalid`. */
export function spanValue(text: string, option: string): number {
  const seconds = durationValue(text, option);
  if (seconds > 0) return seconds;
  throw usage(`${option} ${text} is zero`, "times look like 60s, 5m, 12h or 90d");
}

const DAYS: Record<string, number> = { day: 1, week: 7, mo: 30, month: 30, year: 365, y: 365 };
const SHORT: Record<string, string> = { sec: "s", second: "s", min: "m", minute: "m", hr: "h", hour: "h" };

/** The hint for a text that is not a span of time. */
function spanHint(text: string, option: string): string {
  const [, count = "", unit = ""] = /^(\d{1,4})\s*([a-z]*?)s?$/i.exec(text) ?? [];
  const days = unit === "M" ? 30 : own(DAYS, unit.toLowerCase());
  if (count !== "" && days !== undefined) return `write it in days: ${option} ${Number(count) * days}d`;
  const short = own(SHORT, unit.toLowerCase());
  if (count !== "" && short !== undefined) return `write ${option} ${count}${short}`;
  if (/^\d+$/.test(text))
    return `the unit is missing: ${option} ${text}s is for seconds, ${text}h for hours, ${text}d for days`;
  return "times look like 60s, 5m, 12h or 90d";
}

/** `20/1h` as 20 in 3600 seconds; `off` and `none` as null. Throws `invalid`. */
export function rateValue(text: string, option: string): Rate | null {
  if (isUnset(text)) return null;
  const rate = parseRate(text);
  if (rate === undefined) {
    const [, count, unit] = /^(\d{1,7})\/?\s*(?:per )?(sec|min|hour|h|day)?[a-z]*$/i.exec(text) ?? [];
    const hint = count && `write ${option} ${count}/${unit?.[0]?.toLowerCase() ?? "h"}`;
    throw usage(`${option} ${text} is not a rate`, hint ?? "rates look like 20/h, 5/10m or off");
  }
  if (rate.count === 0 || rate.seconds === 0)
    throw usage(`${option} ${text} counts nothing`, "rates look like 20/h, 5/10m or off");
  return rate;
}

/** `90d`, `12h`, a time in ISO 8601, or `never` as null; as ISO 8601. Throws `invalid`. */
export function expiryValue(text: string, option: string, now: number): string | null {
  return text === "never" ? null : timeValue(text, option, now, "never");
}

/**
 * `90d` or `12h` from now, or a time in ISO 8601, where a day is its midnight in UTC; as ISO 8601. Throws `invalid` with a
 * hint that also names `none`, the word for no time.
 */
export function timeValue(text: string, option: string, now: number, none: string): string {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return new Date(now + seconds * 1000).toISOString();
  return momentValue(text, option, `90d or ${none}`);
}

/** `7d` or `12h` back from now, or a time in ISO 8601, where a day is its midnight in UTC; as ISO 8601. Throws `invalid`. */
export function pastTimeValue(text: string, option: string, now: number): string {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return new Date(now - seconds * 1000).toISOString();
  return momentValue(text, option, "7d or 12h");
}

/** A time in ISO 8601, where a day is its midnight in UTC; as ISO 8601. Throws `invalid` with `others` in the hint. */
function momentValue(text: string, option: string, others: string): string {
  const time = TIME.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw usage(`${option} ${text} is not a time`, momentHint(text, option, others));
  return new Date(time).toISOString();
}

/** `7d` or `12h` before now, or a time in ISO 8601 as in {@link timeValue}; as ISO 8601. Throws `invalid`. */
export function sinceValue(text: string, option: string, now: number): string {
  if (!/^\d{1,6}[smhdw]$/.test(text)) return timeValue(text, option, now, "12h");
  return new Date(Math.max(0, now - durationValue(text, option) * 1000)).toISOString();
}

/** The hint for a text that is not a time. */
function momentHint(text: string, option: string, others: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  if (day !== undefined)
    return `the zone is missing: ${option} ${day}T${time}Z is UTC, ${day}T${time}+01:00 an hour ahead of it`;
  if (/^\d+$/.test(text)) return `the unit is missing: ${option} ${text}d is for days, ${text}h for hours`;
  const isSpan =
    /^\d+\s*(?:[smhdw]|sec|min|hr|mo|[a-z]*(?:second|minute|hour|day|week|month|year)|y)s?$/i.test(text);
  if (isSpan) return spanHint(text, option);
  return `write ${option} 2027-01-31T12:00:00Z, 2027-01-31, ${others}`;
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;

/** `Date.parse` takes the 31st of February for the 3rd of March. */
export function isDay(day: string): boolean {
  const midnight = Date.parse(day);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** A URL; null, which resets it, for `none` and `default`. */
export function urlValue(text: string): string | null {
  return text === "none" || text === "default" ? null : text;
}

/** The origins of page URLs; empty, which allows every origin, for `any`, `none`, `off` and `*`. */
export function originsValue(texts: string[]): string[] {
  if (texts.some((text) => text === "any" || text === "*" || isUnset(text))) return [];
  return texts.map((text) => (URL.canParse(text) ? new URL(text).origin : text));
}

/** The values of a repeated option, or of a list with commas or spaces. */
export function collect(text: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), ...text.split(/[\s,]+/).filter(Boolean)];
}

/** The same for items that may contain spaces, or commas in braces: only other commas separate them. */
export function collectPhrases(text: string, earlier: string[] | undefined): string[] {
  const items = text.split(/,(?![^{}]*\})/).map((each) => each.trim());
  return [...(earlier ?? []), ...items.filter(Boolean)];
}
