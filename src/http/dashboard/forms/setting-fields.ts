import { formatBytes, parseBytes } from "../../../base/bytes.ts";
import { AppError } from "../../../base/errors.ts";
import { formatDuration, formatRate, parseDuration, parseRate } from "../../../base/units.ts";
import { parseWallTime, wallTime } from "../../../base/wall-time.ts";
import { formPatchSchema } from "../../../forms/form-schema.ts";
import type { Form, FormPatch } from "../../../forms/form.ts";
import { type Fields, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { SETTINGS, type Setting } from "./form-settings.ts";

/** A setting as its field shows it; `on` or nothing for a switch. */
export function settingText(form: Form, { name, kind }: Setting, timeZone: string): string {
  const value = form[name];
  if (kind === "switch") return value === true ? "on" : "";
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join("\n");
  if (kind === "size") return formatBytes(value as number);
  if (kind === "duration") return formatDuration(value as number);
  if (kind === "rate") return formatRate(value as NonNullable<Form["rateLimit"]>);
  if (kind === "time") return wallTime(Date.parse(value as string), timeZone);
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

/** The field with the text that a page was made with, beside the one of the setting. */
export function beforeName({ name }: Pick<Setting, "name">): string {
  return `before-${name}`;
}

/** What is wrong with the fields of settings, by name. */
export type SettingErrors = Partial<Record<string, string>>;

/**
 * The settings that somebody changed in a form of the page, or what is wrong with them. The others stay as they are stored,
 * which may be newer than the page, or more exact than its text.
 */
export function readSettings(
  fields: Fields,
  group: string,
  timeZone: string,
): { patch: FormPatch; errors: SettingErrors } {
  const settings = SETTINGS.find(({ id }) => id === group)?.settings;
  if (!settings) throw new AppError("invalid", "the form names no settings: load the page again");
  const errors: SettingErrors = {};
  const values: Record<string, unknown> = {};
  for (const setting of settings) {
    const [text, before] = [setting.name, beforeName(setting)].map((name) => textOf(fields, name).trim());
    if (fields.has(beforeName(setting)) && text === before) continue;
    const typed = parseSetting(setting, textOf(fields, setting.name), timeZone);
    if ("error" in typed) errors[setting.name] = typed.error;
    else values[setting.name] = typed.value;
  }
  const checked = formPatchSchema.safeParse(values);
  for (const { path, message } of checked.error?.issues ?? []) errors[String(path[0])] ??= message;
  return { patch: values, errors };
}

type Typed = { value: unknown } | { error: string };

function parseSetting({ name, kind }: Setting, typed: string, timeZone: string): Typed {
  const text = typed.trim();
  if (kind === "switch") return { value: typed === "on" };
  if (kind === "lines") return { value: text.split("\n").flatMap((line) => line.trim() || []) };
  if (name === "name") return { value: text };
  if (text === "") return { value: null };
  switch (kind) {
    case "count":
      return /^\d{1,9}$/.test(text) ? { value: Number(text) } : { error: "write a whole number" };
    case "size":
      return valueOr(parseBytes(text), "write a size with its unit, such as 10 MB");
    case "duration":
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
    case "text":
    case "area":
    case "choice":
      return { value: text };
    default:
      return kind satisfies never;
  }
}

function valueOr(value: unknown, error: string): Typed {
  return value === undefined ? { error } : { value };
}
