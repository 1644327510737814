import { isoTime } from "../../../base/clock.ts";
import { flags } from "../../../operations/flags.ts";
import { scheduled } from "../../../operations/scheduled.ts";
import { isTimeZone } from "../../../access/user.ts";
import type { FlagPatch } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { differencesInWords } from "../../../flags/rules/difference-words.ts";
import { differencesOf, isUnset } from "../../../projects/differences.ts";
import { setFlag } from "../../../flags/flags.ts";
import { scheduleChange } from "../../../flags/schedule/schedule.ts";
import { undoOf } from "../changes/revision-card.tsx";
import { sentence } from "../error-page.tsx";
import { revisionIn, textOf } from "../fields.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { confirmed } from "../parts/confirm.tsx";
import { formatExact } from "../parts/time.tsx";
import { type Faults, baseIn, draftOf, fieldOf, inputOf, readDraft } from "./draft.ts";
import { changedFields, mergeDrafts, patchOf } from "./draft-patch.ts";
import { cancelPath, settingPath } from "../paths.ts";
import { type Act, type Outcome, confirmationOf, isTypedError, patched } from "./setting.tsx";
import { refusalsOf } from "./refusals.ts";
import { withRowsMoved, withVariantsMoved } from "./row-moves.ts";
import { readPeople } from "./test-people.tsx";
import { tryPatch } from "./try.tsx";
import type { ValuesDraft } from "./values-form.tsx";

type ValuesOutcome = Outcome<{ values: ValuesDraft }>;

/**
 * Takes the form of a flag's values: stores them (`save`), schedules them (`schedule`), tries them (`try`), or shows the
 * form with its rows changed (`row`, `and`, `up`, `down`, `remove`) or its rule in the other notation (`rows`, `json`).
 */
export async function changeValues(act: string, context: Act): Promise<ValuesOutcome> {
  const { fields, setting } = context;
  // Times are in the zone that the form was rendered in.
  const zone = textOf(fields, "zone");
  const timeZone = isTimeZone(zone) ? zone : context.timeZone;
  const base = baseIn(fields) ?? draftOf(setting.record, timeZone);
  const typed: ValuesDraft = {
    ...readDraft(fields, base),
    base,
    why: textOf(fields, "why"),
    at: textOf(fields, "at"),
    tried: fields.has("contexts") ? { contexts: textOf(fields, "contexts") } : undefined,
  };
  if (act === "json")
    // Rows that mean nothing have no JSON, which would be that of the last rule that did.
    return Object.keys(typed.faults).length > 0
      ? refused(typed, typed.faults)
      : { status: 200, values: { ...typed, table: null, variants: null } };
  if (act === "rows") return asRows(typed, timeZone);
  if (/^(?:variant|drop)\b/.test(act))
    return previewed(context, { ...typed, ...withVariantsMoved(typed, act) }, timeZone);
  if (act === "discard") return { to: settingPath(setting.place), text: "Nothing is changed." };
  if (/^(?:row|and|up|down|remove)\b/.test(act))
    return previewed(context, withRowsMoved(typed, fields, act), timeZone);

  const { patch, faults: found } = patchOf(typed.draft, base, timeZone);
  const faults = { ...found, ...typed.faults };
  if (Object.keys(faults).length > 0) return refused(typed, faults);
  try {
    if (act === "check") return { status: 200, values: await withDifference(context, typed, patch) };
    if (act === "try")
      return {
        status: 200,
        values: { ...typed, tried: await tryPatch(context, typed.tried?.contexts, patch) },
      };
    if (act === "schedule") return await schedule(context, typed, patch, timeZone);
    return await save(context, typed, patch);
  } catch (error) {
    if (!isTypedError(error)) throw error;
    if (error.reason === "revision-differs") return conflicting(context, typed, timeZone);
    const refusals = refusalsOf(error, typed);
    if (refusals !== null) return refused(typed, refusals);
    if (act === "schedule") return { status: 422, values: { ...typed, atFault: sentence(error.message) } };
    const hint = error.hint === null ? "" : ` (${error.hint})`;
    return { status: 422, values: { ...typed, problem: `${error.message}${hint}` } };
  }
}

/** The fields of which each member differs by itself. */
const MEMBERS = new Set(["variants", "colours"]);

/** The differences of two objects, a line for each member: `variants, on: "A" → "B"`. */
function memberDifferences(field: string, before: unknown, after: unknown): string[] {
  const textOf = (value: unknown) => (value === undefined ? "none" : JSON.stringify(value).slice(0, 100));
  return differencesOf(before ?? {}, after ?? {}).map(
    (each) => `${field}, ${each.field}: ${textOf(each.before)} → ${textOf(each.after)}`,
  );
}

/** The changes of a patch, a line for each field. */
function differenceOf({ dashboard: { app }, setting: { record } }: Act, patch: FlagPatch): string[] {
  const [before, after] = [flagState(record), flagState(patched(record, patch, app.now()))];
  const shown = (field: string | null, words: string | null | undefined, value: unknown) =>
    words ?? (isUnset(value, field ?? "") ? "none" : JSON.stringify(value)).slice(0, 300);
  return differencesInWords(before, after).flatMap(({ field, words, ...each }) => {
    if (field !== null && MEMBERS.has(field)) return memberDifferences(field, each.before, each.after);
    return `${field ?? "flag"}: ${shown(field, words?.before, each.before)} → ${shown(field, words?.after, each.after)}`;
  });
}

/** The form with its rule and variants as rows, or what keeps their JSON from being read. */
function asRows(typed: ValuesDraft, timeZone: string): ValuesOutcome {
  const { targeting, variants } = patchOf(typed.draft, typed.base, timeZone).faults;
  if (targeting === undefined && variants === undefined)
    return { status: 200, values: { ...typed, ...inputOf(typed.draft) } };
  return refused(typed, { ...(targeting && { targeting }), ...(variants && { variants }) });
}

/** The form again, with what is wrong at each field. */
function refused(typed: ValuesDraft, faults: Faults): ValuesOutcome {
  const sentences = Object.fromEntries(
    Object.entries(faults).map(([field, fault]) => [field, sentence(fault)]),
  ) as Faults;
  return { status: 422, values: { ...typed, faults: sentences } };
}

/** The form with what a patch changes, also for the people of the project. */
async function withDifference(context: Act, typed: ValuesDraft, patch: FlagPatch): Promise<ValuesDraft> {
  const { dashboard, caller, setting } = context;
  const people = await readPeople(dashboard.app, caller, setting.place, patch);
  return { ...typed, difference: differenceOf(context, patch), people };
}

/** The form after a button of its rows, with what saving would change now; without it while the form cannot be saved. */
async function previewed(context: Act, typed: ValuesDraft, timeZone: string): Promise<ValuesOutcome> {
  const { patch, faults } = patchOf(typed.draft, typed.base, timeZone);
  const values = { ...typed, faults: {} };
  if (Object.keys({ ...faults, ...typed.faults }).length > 0) return { status: 200, values };
  try {
    return { status: 200, values: await withDifference(context, values, patch) };
  } catch (error) {
    if (!isTypedError(error)) throw error;
    return { status: 200, values };
  }
}

async function save(context: Act, typed: ValuesDraft, patch: FlagPatch): Promise<ValuesOutcome> {
  const { dashboard, caller, fields, setting } = context;
  const { place } = setting;
  const to = settingPath(place);
  return confirmed<ValuesOutcome>(
    fields,
    async () => {
      const { record, result } = await setFlag(dashboard.app, caller, place, patch, revisionIn(fields));
      if (result === "unchanged") return { to, text: "Nothing differs from what is stored." };
      const names = changedFields(typed.draft, typed.base).map((field) => fieldOf(field).label.toLowerCase());
      const text = `Saved in ${place.environment}: ${names.join(", ")}.`;
      return { to, text, undo: undoOf(place, record) };
    },
    async () => confirmationOf(context, `Save in ${place.environment}`, patch),
    { app: dashboard.app, caller, operation: flags.set, names: place, body: patch },
  );
}

async function schedule(
  context: Act,
  typed: ValuesDraft,
  patch: FlagPatch,
  timeZone: string,
): Promise<ValuesOutcome> {
  const { dashboard, caller, fields, setting } = context;
  const { place } = setting;
  const at = parseWallTime(typed.at, timeZone);
  if (at === null) return { status: 422, values: { ...typed, atFault: "Write a date and a time." } };
  if (Object.keys(patch).length === 0)
    return { status: 422, values: { ...typed, atFault: "Nothing differs from what is stored." } };
  return confirmed<ValuesOutcome>(
    fields,
    async () => {
      const { id } = await scheduleChange(dashboard.app, caller, place, { patch, at });
      const text = `${place.flag} changes in ${place.environment} on ${formatExact(at, timeZone)}.`;
      return { to: settingPath(place), text, undo: { to: cancelPath(place, id), values: {} } };
    },
    async () => confirmationOf(context, `Save later in ${place.environment}`, patch),
    {
      app: dashboard.app,
      caller,
      operation: scheduled.create,
      names: place,
      body: { at: isoTime(at), patch },
    },
  );
}

/** Shows the form again after an edit conflict, with the typed values merged into the stored ones. */
function conflicting({ setting, fields }: Act, typed: ValuesDraft, timeZone: string): ValuesOutcome {
  const theirs = draftOf(setting.record, timeZone);
  const { draft: mine, base } = typed;
  const draft = mergeDrafts(mine, base, theirs);
  return {
    status: 409,
    values: {
      ...typed,
      ...inputOf(draft),
      base: theirs,
      ...(fields.has("variants") && { table: null, variants: null }),
    },
    conflict: {
      mine,
      base,
      theirs,
      last: setting.last,
      isDeleted: setting.record.revision === 0,
      advice: "The form below has what you typed on top of what is stored now. Save it to store that.",
    },
  };
}
