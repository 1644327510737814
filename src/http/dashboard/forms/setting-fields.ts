import { AppError } from "../../../base/errors.ts";
import { type Read, readKind, showKind } from "../../../base/kinds/kinds.ts";
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
  return showKind(SETTINGS[name].kind, form[name], timeZone);
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
    if ("fault" in typed) faults[name] = typed.fault;
  }
  return { patch, faults };
}

function parseSetting(kind: Kind, typed: string, timeZone: string): Read {
  if (kind.is !== "json") return readKind(kind, typed, { now: 0, timeZone });
  const parsed = typed.trim() === "" ? { value: null } : parseJson(typed.trim());
  return "value" in parsed ? parsed : { fault: parsed.fault };
}
