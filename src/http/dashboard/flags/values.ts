import { isTimeZone } from "../../../access/user.ts";
import { isoTime } from "../../../base/clock.ts";
import type { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { FlagPatch, FlagPlace, FlagRecord } from "../../../flags/flag.ts";
import type { Context } from "../../../flags/flagd/evaluate.ts";
import { flagState } from "../../../flags/history.ts";
import { tryChange } from "../../../flags/reads/evaluations.ts";
import { differencesInWords } from "../../../flags/rules/difference-words.ts";
import { checkedInput } from "../../../operations/call.ts";
import { flags } from "../../../operations/flags.ts";
import { scheduled } from "../../../operations/scheduled.ts";
import { differencesOf, isUnset } from "../../../projects/differences.ts";
import { undoOf } from "../changes/revision-card.tsx";
import { revisionIn, rowOf, textOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import type { Page } from "../page.tsx";
import { faultAt, type Faults, submit } from "../parts/submit.ts";
import { formatExact } from "../parts/time.tsx";
import { cancelPath, settingPath } from "../paths.ts";
import type { Dashboard, Done, Sent } from "../routes.ts";
import {
  baseIn,
  changedFields,
  draftOf,
  fieldOf,
  inRows,
  isTyped,
  mergeDrafts,
  patchOf,
  typedTable,
  type Values,
  valuesIn,
  variantsOf,
  withTable,
  withVariants,
} from "./draft.ts";
import { BLANK, refusalsOf, sentences } from "./rules.ts";
import {
  type Again,
  confirmationOf,
  differenceIn,
  patched,
  recordIn,
  type Screen,
  timeIn,
} from "./screen.tsx";
import { blankVariant } from "./variant-rows.ts";

/** The form of values as it was sent. Times are in the zone that it was rendered in. */
type Form = Sent<FlagPlace> & { dashboard: Dashboard; again: Again; values: Values; timeZone: string };

/**
 * Takes the form of a flag's values: stores them (`save`), schedules them (`schedule`), tries them (`try`, `check`), or shows
 * the form with its rows changed (`row`, `and-2`, `up-2`, `down-2`, `remove-2`, `variant`, `drop-2`) or its rule in the other
 * notation (`rows`, `json`).
 */
export async function changeValues(
  dashboard: Dashboard,
  again: Again,
  sent: Sent<FlagPlace>,
  name: string,
): Promise<Done | Page> {
  const { c, fields, names: place } = sent;
  const zone = textOf(fields, "zone");
  const timeZone = isTimeZone(zone) ? zone : dashboard.viewOf(c).timeZone;
  const base = baseIn(fields) ?? draftOf(await recordIn(dashboard.app, place), timeZone);
  const form: Form = { ...sent, dashboard, again, values: valuesIn(fields, base), timeZone };
  const act = ACTS.get(name);
  if (act) return act(form);
  const isOfVariants = /^(?:variant|drop)\b/.test(name);
  return moved(form, isOfVariants ? withVariantsMoved(form.values, name) : withRowsMoved(form.values, name));
}

const ACTS = new Map<string, (form: Form) => Done | Page | Promise<Done | Page>>([
  ["save", save],
  ["schedule", schedule],
  ["check", (form) => submit<Page>(() => previewed(form, form.values), refuse(form), errorsAt(""))],
  ["try", tried],
  ["rows", asRows],
  ["json", asJson],
  ["discard", ({ names }) => ({ to: settingPath(names), text: "Nothing is changed." })],
]);

/** Fields of errors; errors that concern no field of the change are at `field`. */
function errorsAt(field: string): Readonly<Record<string, string>> {
  return {
    expiredAt: "expires",
    invalid: field,
    too_large: field,
    unprocessable: field,
    conflict: field,
  };
}

function shown({ again, c, names }: Form, values: Values, status: 200 | 422 = 200): Promise<Page> {
  return again(c, names, () => ({ status, values }));
}

/** Shows the form again with what was refused. */
function refuse({ again, c, names, values, timeZone }: Form) {
  return (faults: Faults, error: AppError) =>
    again(c, names, (screen) => {
      if (error.reason === "revision-differs") return conflicting(screen, values, timeZone);
      const refused = { ...values, faults: refusalsOf(error, values, faults) };
      return { status: "contexts" in refused.faults ? 200 : 422, values: refused };
    });
}

/** The change of values, checked as the admin API does. Throws `invalid` with the faults of fields. */
async function checked({ timeZone }: Form, values: Values): Promise<FlagPatch> {
  const patch = patchOf(values, timeZone);
  await checkedInput(flags.set, { body: patch });
  return patch;
}

function confirm({ dashboard: { app }, c, names, values, timeZone }: Form, label: string) {
  return async () =>
    confirmationOf(app, c.get("caller"), names, {
      label: `${label} in ${names.environment}`,
      change: await differenceIn(app, names, patchOf(values, timeZone)),
    });
}

function save(form: Form): Promise<Done | Page> {
  const { dashboard, c, fields, names, values, timeZone } = form;
  return dashboard.act({
    operation: flags.set,
    input: () => ({ names, body: patchOf(values, timeZone), revision: revisionIn(fields) }),
    done({ revision, result }) {
      const to = settingPath(names);
      if (result === "unchanged") return { to, text: "Nothing differs from what is stored." };
      const changed = changedFields(values.draft, values.base);
      const labels = changed.map((field) => fieldOf(field).label.toLowerCase());
      const text = `Saved in ${names.environment}: ${labels.join(", ")}.`;
      return { to, text, undo: undoOf(names, { revision }) };
    },
    confirm: confirm(form, "Save"),
    again: (_, faults, error) => refuse(form)(faults, error),
    at: errorsAt(""),
  })(c, fields, names);
}

function schedule(form: Form): Promise<Done | Page> {
  const { dashboard, c, fields, names, values, timeZone } = form;
  return dashboard.act({
    operation: scheduled.create,
    async input() {
      const patch = await checked(form, values);
      const at = isoTime(timeIn(fields, "at", timeZone));
      if (Object.keys(patch).length === 0) throw faultAt("at", "nothing differs from what is stored");
      return { names, body: { at, patch } };
    },
    done({ id, at }) {
      const when = formatExact(Date.parse(at), timeZone);
      const text = `${names.flag} changes in ${names.environment} on ${when}.`;
      return { to: settingPath(names), text, undo: { to: cancelPath(names, id), values: {} } };
    },
    confirm: confirm(form, "Save later"),
    again: (_, faults, error) => refuse(form)(faults, error),
    at: errorsAt("at"),
  })(c, fields, names);
}

/** The form with what saving changes, also for the people of the project. */
async function previewed(form: Form, values: Values): Promise<Page> {
  const { again, dashboard, c, names } = form;
  const patch = await checked(form, values);
  const differenceFrom = ({ record }: Screen) =>
    differenceOf(record, patched(record, patch, dashboard.app.now()));
  return again(
    c,
    names,
    (screen) => ({ status: 200, values: { ...values, difference: differenceFrom(screen) } }),
    patch,
  );
}

/** The form after a button of its rows, with what saving changes; without that while it cannot be saved. */
function moved(form: Form, values: Values): Promise<Page> {
  const again = () => shown(form, { ...values, faults: {} });
  return submit<Page>(() => previewed(form, values), again, errorsAt(""));
}

/** The form with what the typed contexts get now, and after saving. */
function tried(form: Form): Promise<Page> {
  const {
    dashboard: { app },
    c,
    fields,
    names,
    values,
  } = form;
  const act = async () => {
    const patch = await checked(form, values);
    const contexts = contextsIn(textOf(fields, "contexts"));
    const trials = await tryChange(app, c.get("caller"), names, patch, contexts);
    const record = await recordIn(app, names);
    const after = flagState(patched(record, patch, app.now()));
    return shown(form, { ...values, tried: { trials, before: flagState(record), after } });
  };
  return submit<Page>(act, refuse(form), errorsAt("contexts"));
}

/** The form with its rule and variants as rows, or what keeps their JSON from being read. */
async function asRows(form: Form): Promise<Page> {
  const { values } = form;
  const rows = () => shown(form, { ...values, ...inRows(values.draft), faults: {} });
  const act = async () => {
    await checked(form, values);
    return rows();
  };
  const again = ({ targeting, variants }: Faults) => {
    const faults = { ...(targeting && { targeting }), ...(variants && { variants }) };
    return Object.keys(faults).length === 0 ? rows() : shown(form, { ...values, faults }, 422);
  };
  return submit<Page>(act, again, errorsAt(""));
}

/** The form with its rule and variants as JSON. Rows that mean nothing have none: it would be that of the last rule that did. */
function asJson(form: Form): Promise<Page> {
  const { values } = form;
  return Object.keys(values.faults).length === 0
    ? shown(form, { ...values, table: null, variants: null })
    : shown(form, { ...values, faults: sentences(values.faults) }, 422);
}

/** The values with another variant after `variant`, and without the second after `drop-2`. */
function withVariantsMoved(values: Values, act: string): Values {
  const { variants } = values;
  if (variants === null) return values;
  const { type, rows } = variants;
  const moved = act === "variant" ? [...rows, blankVariant(variants)] : rows.toSpliced(rowOf(act) - 1, 1);
  const changed = withVariants({ ...values, faults: {} }, { type, rows: moved });
  return changed.table && !("variants" in changed.faults) ? withTable(changed, changed.table) : changed;
}

/** The values after a button of their rows: `row` adds one, `and-2` a condition, `up-2`, `down-2` and `remove-2` are for the second. */
function withRowsMoved(values: Values, act: string): Values {
  const { rows, ...rest } = typedTable(values.fields!, variantsOf(values.draft) ?? {});
  const at = rowOf(act) - 1;
  const to = act.startsWith("up") ? at - 1 : at + 1;
  if (act === "row") rows.push({ condition: "", serve: "" });
  else if (act.startsWith("remove")) rows.splice(at, 1);
  else if (act.startsWith("and")) rows[at]?.edit?.conditions?.push(BLANK);
  else if (rows[at] && rows[to]) [rows[at], rows[to]] = [rows[to], rows[at]];
  const kept = act === "row" || act.startsWith("and") ? rows : rows.filter(isTyped);
  const table = { rows: kept, ...rest };
  return { ...withTable({ ...values, faults: {} }, table), table };
}

/** The contexts of a form, one a line. Throws the fault of the first line that is none. */
function contextsIn(text: string): Context[] {
  return (text.trim() || "{}").split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const { value, fault } = parseJson(line) as { value?: unknown; fault?: string };
    if (fault === undefined && isObject(value)) return [value];
    const what = fault ?? "in line 1: a context is an object in braces";
    throw faultAt("contexts", what.replace(/^in line 1/, `in line ${index + 1}`));
  });
}

/** The fields of which each member differs by itself. */
const MEMBERS = new Set(["variants", "colours"]);

/** The differences of two objects, a line for each member: `variants, on: "A" → "B"`. */
function memberDifferences(field: string, before: unknown, after: unknown): string[] {
  const shown = (value: unknown) => (value === undefined ? "none" : JSON.stringify(value).slice(0, 100));
  return differencesOf(before ?? {}, after ?? {}).map(
    (each) => `${field}, ${each.field}: ${shown(each.before)} → ${shown(each.after)}`,
  );
}

/** Differences of two states of a flag, a line for each field. */
function differenceOf(record: FlagRecord, changed: FlagRecord): string[] {
  const shown = (field: string | null, words: string | null | undefined, value: unknown) =>
    words ?? (isUnset(value, field ?? "") ? "none" : JSON.stringify(value)).slice(0, 300);
  return differencesInWords(flagState(record), flagState(changed)).flatMap(({ field, words, ...each }) => {
    if (field !== null && MEMBERS.has(field)) return memberDifferences(field, each.before, each.after);
    return `${field ?? "flag"}: ${shown(field, words?.before, each.before)} → ${shown(field, words?.after, each.after)}`;
  });
}

/** Shows the form again after an edit conflict, with the typed values merged into the stored ones. */
function conflicting({ record }: Screen, values: Values, timeZone: string): Partial<Screen> {
  const theirs = draftOf(record, timeZone);
  const { draft: mine, base, fields } = values;
  const draft = mergeDrafts(mine, base, theirs);
  const rows = fields!.has("variants") ? { table: null, variants: null } : inRows(draft);
  const advice = "The form below has what you typed on top of what is stored now. Save it to store that.";
  return {
    status: 409,
    values: { ...values, ...rows, draft, base: theirs, faults: {} },
    conflict: { mine, base, theirs, advice },
  };
}
