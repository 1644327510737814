import { isTimeZone } from "../../../access/user.ts";
import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { Condition } from "../../../flags/rules/conditions.ts";
import { tryChange } from "../../../flags/reads/evaluations.ts";
import type { Context } from "../../../flags/flagd/evaluate.ts";
import type { FlagPatch } from "../../../flags/flag.ts";
import { setFlag } from "../../../flags/flags.ts";
import { flagState } from "../../../flags/history.ts";
import { scheduleChange } from "../../../flags/schedule/schedule.ts";
import { sentence } from "../error-page.tsx";
import { revisionIn, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { parseWallTime } from "../../../base/wall-time.ts";
import { confirmed } from "../parts/confirm.tsx";
import { formatExact } from "../parts/time.tsx";
import {
  type Faults,
  FIELDS,
  type Field,
  baseIn,
  changedFields,
  draftOf,
  mergeDrafts,
  patchOf,
  readDraft,
  rowsOf,
} from "./draft.ts";
import { settingPath } from "./paths.ts";
import { type Act, type Outcome, confirmationOf, isTypedError, patched } from "./act.tsx";
import { refusalsOf } from "./refusals.ts";
import type { Tried } from "./try-fields.tsx";
import type { ValuesDraft } from "./values-form.tsx";

/**
 * Takes the form of a flag's values: stores them (`save`), schedules them (`schedule`), tries them (`try`), or shows the
 * form with more rows (`row`) or its rule in the other notation (`rows`, `json`).
 */
export async function changeValues(act: string, context: Act): Promise<Outcome> {
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
  if (act === "row") return { status: 200, values: withMoreRows(typed) };
  if (act === "json") return { status: 200, values: { ...typed, rows: null } };
  if (act === "rows") return { status: 200, values: { ...typed, rows: rowsOf(typed.draft.targeting) } };

  const { patch, faults: found } = patchOf(typed.draft, base, timeZone);
  const faults = { ...found, ...typed.faults };
  if (Object.keys(faults).length > 0) return refused(typed, faults);
  try {
    if (act === "try")
      return { status: 200, values: { ...typed, tried: await tryValues(context, typed, patch) } };
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

/** The form again, with what is wrong at each field. */
function refused(typed: ValuesDraft, faults: Faults): Outcome {
  const sentences = Object.fromEntries(
    Object.entries(faults).map(([field, fault]) => [field, sentence(fault)]),
  ) as Faults;
  return { status: 422, values: { ...typed, faults: sentences } };
}

const EMPTY: Condition = { attribute: "", operator: "==", value: "", variant: "" };

function withMoreRows(typed: ValuesDraft): ValuesDraft {
  return { ...typed, rows: [...(typed.rows ?? []), EMPTY, EMPTY], faults: {} };
}

async function save(context: Act, typed: ValuesDraft, patch: FlagPatch): Promise<Outcome> {
  const { dashboard, caller, fields, setting } = context;
  const { place } = setting;
  const to = settingPath(place);
  return confirmed<Outcome>(
    fields,
    async () => {
      const { result } = await setFlag(dashboard.app, caller, place, patch, revisionIn(fields));
      if (result === "unchanged") return { to, text: "Nothing differs from what is stored." };
      const names = changedFields(typed.draft, typed.base).map((field: Field) => FIELDS[field].toLowerCase());
      return { to, text: `Saved in ${place.environment}: ${names.join(", ")}.` };
    },
    async () => confirmationOf(context, `Save in ${place.environment}`, patch),
  );
}

async function schedule(
  context: Act,
  typed: ValuesDraft,
  patch: FlagPatch,
  timeZone: string,
): Promise<Outcome> {
  const { dashboard, caller, fields, setting } = context;
  const { place } = setting;
  const at = parseWallTime(typed.at, timeZone);
  if (at === null) return { status: 422, values: { ...typed, atFault: "Write a date and a time." } };
  if (Object.keys(patch).length === 0)
    return { status: 422, values: { ...typed, atFault: "Nothing differs from what is stored." } };
  return confirmed<Outcome>(
    fields,
    async () => {
      await scheduleChange(dashboard.app, caller, place, { patch, at });
      const text = `${place.flag} changes in ${place.environment} on ${formatExact(at, timeZone)}.`;
      return { to: settingPath(place), text };
    },
    async () => confirmationOf(context, `Save later in ${place.environment}`, patch),
  );
}

/** What the flag would be for each context that was typed. */
async function tryValues(
  { dashboard: { app }, caller, setting }: Act,
  typed: ValuesDraft,
  patch: FlagPatch,
): Promise<Tried> {
  const contexts = typed.tried?.contexts.trim() || "{}";
  const parsed: Context[] = [];
  for (const [index, line] of contexts.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { value, fault } = parseJson(line) as { value?: unknown; fault?: string };
    if (fault !== undefined || !isObject(value)) {
      const what = fault ?? "in line 1: a context is an object in braces";
      return { contexts, fault: sentence(what.replace(/^in line 1/, `in line ${index + 1}`)) };
    }
    parsed.push(value);
  }
  try {
    const trials = await tryChange(app, caller, setting.place, patch, parsed);
    const after = flagState(patched(setting.record, patch, app.now()));
    return { contexts, results: { trials, before: flagState(setting.record), after } };
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "invalid" && error.code !== "too_large")) throw error;
    return { contexts, fault: sentence(error.message) };
  }
}

/** The form with what was typed on top of what somebody else stored meanwhile. */
function conflicting({ setting }: Act, typed: ValuesDraft, timeZone: string): Outcome {
  const theirs = draftOf(setting.record, timeZone);
  const { draft: mine, base } = typed;
  const draft = mergeDrafts(mine, base, theirs);
  return {
    status: 409,
    values: { ...typed, draft, base: theirs, rows: typed.rows === null ? null : rowsOf(draft.targeting) },
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
