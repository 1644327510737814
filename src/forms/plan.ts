import type { HistoryEntry } from "../access/history-entry.ts";
import { formatDuration, formatRate, type Rate } from "../base/units.ts";
import type { TargetChange } from "../delivery/change.ts";
import type { FormChange } from "./change.ts";
import type { FormRecord } from "./form.ts";
import { NAMES, type SettingName, SETTINGS } from "./settings/settings.ts";

type FormsChange = FormChange | TargetChange;

type Values = Readonly<Record<string, unknown>>;

/** The change that creates a form. */
export function planInsert(form: FormRecord): FormChange {
  return {
    change: "insertForm",
    project: form.project,
    form,
    history: entryOf(form.slug, null, stateOf(form)),
  };
}

/** The change that gives a form other settings; the history records what differs. */
export function planUpdate(before: FormRecord, form: FormRecord): FormChange {
  const names = NAMES.filter((name) => !Bun.deepEquals(before[name], form[name], true));
  const was = names.map((name) => [name, shown(name, before[name])]);
  const is = names.map((name) => [name, shown(name, form[name], before[name])]);
  const history = entryOf(form.slug, Object.fromEntries(was), Object.fromEntries(is));
  return { change: "updateForm", project: form.project, form, history };
}

/** The change that deletes a form, or with `onlyEmpty` only one without submissions. */
export function planDeletion(form: FormRecord, onlyEmpty: boolean): FormChange {
  const { project, slug, key } = form;
  return { change: "deleteForm", project, slug, key, onlyEmpty, history: entryOf(slug, stateOf(form), null) };
}

/**
 * The changes that move a form to another project, recorded in both; its own history goes with it. Neither project learns the
 * name of the other.
 */
export function planMove({ project: from, slug, key }: FormRecord, project: string): FormsChange[] {
  return [
    { change: "moveForm", project, from, slug, key, history: entryOf(slug, {}, { project }) },
    { change: "recordForm", project: from, history: entryOf(slug, { project: from }, {}) },
  ];
}

function entryOf(slug: string, before: unknown, after: unknown): HistoryEntry {
  return { environment: null, kind: "form", name: slug, before, after };
}

/** The settings of a form that differ from the default. */
function stateOf(form: FormRecord): Values {
  const set = NAMES.filter((name) => name === "name" || isSet(name, form[name]));
  return Object.fromEntries(set.map((name) => [name, shown(name, form[name])]));
}

function isSet(name: SettingName, value: unknown): boolean {
  return value !== null && !Bun.deepEquals(value, SETTINGS[name].default, true);
}

/** Settings that list senders, who may have their data erased: the history counts them. */
const OF_SENDERS: ReadonlySet<SettingName> = new Set(["blockedSenders", "spamEmails"]);

/** A setting as the history has it. */
function shown(name: SettingName, value: unknown, before?: unknown): unknown {
  const { kind } = SETTINGS[name];
  if (kind.is === "seconds" && typeof value === "number") return formatDuration(value);
  if (kind.is === "rate" && value !== null) return formatRate(value as Rate);
  if (!OF_SENDERS.has(name) || !Array.isArray(value)) return value;
  const known = new Set(Array.isArray(before) ? before : value);
  const added = value.filter((each) => !known.has(each)).length;
  const count = value.length === 1 ? "1 address" : `${value.length} addresses`;
  return added === 0 ? count : `${count}, ${added} new`;
}
