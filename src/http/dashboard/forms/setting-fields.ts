import { formatBytes, parseBytes } from "../../../base/bytes.ts";
import { AppError } from "../../../base/errors.ts";
import { type Rate, formatDuration, formatRate, parseDuration, parseRate } from "../../../base/units.ts";
import { parseWallTime, wallTime } from "../../../base/wall-time.ts";
import type { Form, FormPatch } from "../../../forms/form.ts";
import type { Group, Kind } from "../../../forms/settings/setting.ts";
import { SETTINGS, type SettingName, inOrder } from "../../../forms/settings/settings.ts";
import { type Fields, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import type { Faults } from "../parts/submit.ts";

const TITLES: Record<Group, string> = {
  after: "After a submission",
  senders: "Who may send",
  files: "Files",
  spam: "Spam",
  mail: "Mail",
  kept: "What is kept",
  schema: "Schema",
};

/** The groups of settings, in the order of the page. */
export const GROUPS = Object.entries(TITLES).map(([id, title]) => ({
  id,
  title,
  names: inOrder("field").filter((name) => SETTINGS[name].field![0] === id),
}));

/** A setting as its field shows it; `on` or nothing for a switch. */
export function settingText(form: Form, name: SettingName, timeZone: string): string {
  const { is } = SETTINGS[name].kind;
  const value = form[name];
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join("\n");
  if (typeof value === "boolean") return value ? "on" : "";
  if (typeof value === "object")
    return is === "rate" ? formatRate(value as Rate) : JSON.stringify(value, null, 2);
  if (typeof value === "string") return is === "time" ? wallTime(Date.parse(value), timeZone) : value;
  return is === "bytes" ? formatBytes(value) : is === "seconds" ? formatDuration(value) : String(value);
}

/** The field with the text that a page was made with, beside the one of the setting. */
export function beforeName(name: SettingName): string {
  return `before-${name}`;
}

/**
 * The settings that a form changed, and the faults of texts that stand for no value: these are false, which no setting is that
 * has a text. Unchanged ones keep the stored value, which may be newer than the page, or more exact than its text.
 */
export function settingsIn(fields: Fields, timeZone: string): { patch: FormPatch; faults: Faults } {
  const names = GROUPS.find(({ id }) => id === textOf(fields, "group"))?.names;
  if (!names) throw new AppError("invalid", "the form names no settings: load the page again");
  const faults: Record<string, string> = {};
  const patch: Record<string, unknown> = {};
  for (const name of names) {
    const [text, before] = [name, beforeName(name)].map((field) => textOf(fields, field).trim());
    if (fields.has(beforeName(name)) && text === before) continue;
    const typed = parseSetting(SETTINGS[name].kind, textOf(fields, name), timeZone);
    patch[name] = "value" in typed && typed.value;
    if ("error" in typed) faults[name] = typed.error;
  }
  return { patch, faults };
}

type ParsedSetting = { value: unknown } | { error: string };

function parseSetting({ is }: Kind, typed: string, timeZone: string): ParsedSetting {
  const text = typed.trim();
  if (is === "switch") return { value: typed === "on" };
  if (is === "list" || is === "origins" || is === "senders")
    return { value: text.split("\n").flatMap((line) => line.trim() || []) };
  if (is === "name") return { value: text };
  if (text === "") return { value: null };
  switch (is) {
    case "count":
      return /^\d{1,9}$/.test(text) ? { value: Number(text) } : { error: "write a whole number" };
    case "bytes":
      return valueOr(parseBytes(text), "write a size with its unit, such as 10 MB");
    case "seconds":
      return valueOr(parseDuration(text), "write a time such as 60s, 12h or 90d");
    case "rate":
      return valueOr(parseRate(text), "write a rate such as 20/h or 5/10m");
    case "time": {
      const at = parseWallTime(text, timeZone);
      return at === null ? { error: "write a date and a time" } : { value: new Date(at).toISOString() };
    }
    case "json": {
      const parsed = parseJson(text);
      return "value" in parsed ? parsed : { error: parsed.fault };
    }
    case "url":
    case "text":
    case "area":
    case "field":
    case "flag":
    case "zone":
    case "choice":
      return { value: text };
    default:
      return is satisfies never;
  }
}

function valueOr(value: unknown, error: string): ParsedSetting {
  return value === undefined ? { error } : { value };
}
