import { isoTime } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import { parseWallTime, wallTime } from "../../../base/wall-time.ts";
import {
  type Field as Card,
  coloursOf,
  FIELD_NAMES,
  type FieldName,
  FIELDS,
  NONE_SHOWN,
  SHARED,
  type SharedName,
} from "../../../flags/flag-fields.ts";
import type { FlagPatch, FlagRecord } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import type { Trial } from "../../../flags/reads/evaluations.ts";
import { type Requirement, requirementLines, requirementTerms } from "../../../flags/requires/requirement.ts";
import { ruleOfTable, type RuleRow, type RuleTable, tableOfRule } from "../../../flags/rules/rule-table.ts";
import { areBoolean } from "../../../flags/rules/rules.ts";
import { type Fields, fitsInLine, textOf, textsOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import { type Faults, faultsAt } from "../parts/submit.ts";
import { type EditedTable, rowsIn, serveIn, SHARES } from "./rules.ts";
import { coloursIn, type EditedVariants, editedVariants, valuesOf, variantsIn } from "./variant-rows.ts";

/** A field by its name in the form of a flag, which has no metadata. */
export type Field = Exclude<FieldName, "metadata" | "expiredAt" | Exclude<SharedName, "colours">> | "expires";

export const NAMES = FIELD_NAMES.filter(
  (name) => name !== "metadata" && (name === "colours" || !(name in SHARED)),
).map((name) => (name === "expiredAt" ? "expires" : name)) as Field[];

export function fieldOf(name: Field): Card {
  return FIELDS[name === "expires" ? "expiredAt" : name];
}

/** Whether a field is typed as JSON. */
export function isJson(name: Field): boolean {
  return name === "payload" || name === "variants" || name === "targeting" || name === "colours";
}

/** The values of a flag in one environment, as the texts of its form. */
export type Draft = Record<Field, string>;

/** The values of a flag in one environment as their form has them. */
export type Values = {
  draft: Draft;
  /** Values that the form was rendered from. */
  base: Draft;
  /** The rule as rows; null where it is typed as JSON. */
  table: EditedTable | null;
  /** Null where variants are typed as JSON. */
  variants: EditedVariants | null;
  /** The form as it was sent; null for values as they are stored. */
  fields: Fields | null;
  faults: Faults;
  /** The changes of saving, a line for each field; left out until it was checked. */
  difference?: readonly string[];
  /** Results of the typed contexts, now and after saving. */
  tried?: { trials: readonly Trial[]; before: object; after: object };
};

/** The draft of a flag as it is stored; times are in the time zone of the viewer. */
export function draftOf(record: FlagRecord, timeZone: string): Draft {
  const expires = record.expiresAt === null ? "" : wallTime(record.expiresAt, timeZone);
  const values: Partial<Record<Field, unknown>> = { ...NONE_SHOWN, ...flagState(record), expires };
  const textIn = (name: Field): string => {
    const value = values[name];
    if (typeof value === "boolean" && !isJson(name)) return value ? "on" : "off";
    if (name === "targeting" || name === "colours") return objectText(value);
    if (name === "requires") return requirementTerms(value as Requirement[]).join("\n");
    if (isJson(name)) return value === undefined ? "" : JSON.stringify(value, null, 2);
    return typeof value === "string" ? value : "";
  };
  return Object.fromEntries(NAMES.map((name) => [name, textIn(name)])) as Draft;
}

function objectText(value: unknown): string {
  const isEmpty = !isObject(value) || Object.keys(value).length === 0;
  return isEmpty ? "" : JSON.stringify(value, null, 2);
}

/** The values of a draft as it is stored. */
export function storedValues(draft: Draft): Values {
  return { draft, base: draft, ...inRows(draft), fields: null, faults: {} };
}

/** The rule and the variants of a draft as rows; each null if it cannot be read, or rows do not express it. */
export function inRows(draft: Draft): Pick<Values, "table" | "variants"> {
  const variants = variantsOf(draft);
  // Fields would change other names.
  const isInRows = variants !== null && Object.keys(variants).every(isName);
  return {
    table: tableOf(draft),
    variants: isInRows ? editedVariants(variants, coloursOf(draft.colours)) : null,
  };
}

/** Whether a field keeps the name of a variant. */
function isName(text: string): boolean {
  return text !== "" && text.trim() === text && fitsInLine(text);
}

/** The draft that a form was rendered from, which it carries along; undefined if it carries none, or not a whole one. */
export function baseIn(fields: Fields): Draft | undefined {
  const parsed = parseJson(textOf(fields, "base"));
  if (parsed.fault !== undefined || !isObject(parsed.value)) return undefined;
  const { value } = parsed;
  return NAMES.every((name) => typeof value[name] === "string") ? (value as Draft) : undefined;
}

/** The values of a form; fields that it did not send come from `base`. */
export function valuesIn(fields: Fields, base: Draft): Values {
  const draft = { ...base };
  for (const name of NAMES) if (fields.has(name)) draft[name] = textOf(fields, name);
  const typed = variantsIn(fields);
  const sent: Values = { draft, base, table: null, variants: null, fields, faults: {} };
  const rows = fields.has("variants") ? null : inRows(draft).variants;
  const values = typed === null ? { ...sent, variants: rows } : withVariants(sent, typed);
  if (fields.has("condition") || fields.has("rules"))
    return withTable(values, typedTable(fields, variantsOf(values.draft) ?? {}));
  return { ...values, table: fields.has("targeting") ? null : tableOf(values.draft) };
}

/** Values with other variants, and their colours, or what is wrong with them. What means the same keeps its text. */
export function withVariants(values: Values, typed: EditedVariants): Values {
  const { base } = values;
  const draft = { ...values.draft, variants: base.variants, colours: base.colours };
  const was = variantsOf(base) ?? {};
  const own = coloursOf(base.colours);
  try {
    const variants = valuesOf(typed);
    const colours = coloursIn(typed, own, was);
    if (!Bun.deepEquals(colours, own)) draft.colours = objectText(colours);
    if (!Bun.deepEquals(variants, was)) {
      draft.variants = objectText(variants);
      const names = Object.keys(variants);
      // Readers of a flag without variants who got true still get the first.
      if (base.variants === "" && draft.variants !== "" && draft.defaultVariant === "")
        draft.defaultVariant = names.includes("on") ? "on" : names[0]!;
    }
    return { ...values, draft, variants: typed };
  } catch (error) {
    return { ...values, variants: typed, faults: { ...values.faults, variants: faultOf(error) } };
  }
}

/** Values with the rule of a table, or what is wrong with it. Rows in which nothing was typed are left out. */
export function withTable(values: Values, typed: EditedTable): Values {
  const { draft, base } = values;
  const table = { ...typed, rows: typed.rows.filter(isTyped) };
  const ruled = (targeting: string): Values => ({ ...values, draft: { ...draft, targeting }, table });
  // A rule that is left as it is stays as it was written, also where words have another notation for it.
  if (draft.variants === base.variants && Bun.deepEquals(wordsOf(table), tableOf(base)))
    return ruled(base.targeting);
  try {
    const variants = variantsOf(draft);
    return variants === null ? { ...values, table } : ruled(objectText(ruleOfTable(table, variants)));
  } catch (error) {
    return { ...values, table, faults: { ...values.faults, targeting: faultOf(error) } };
  }
}

/** The fault of what was typed, which an error names. Throws any other error. */
function faultOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return error.hint === null ? error.message : `${error.message}: ${error.hint}`;
}

/** The words of a table, without the fields in which they were typed. */
function wordsOf({ rows, rest }: EditedTable): RuleTable {
  return { rows: rows.map(({ condition, serve }) => ({ condition, serve })), rest };
}

/** The table of a form, also with rows in which nothing was typed. */
export function typedTable(fields: Fields, variants: Readonly<Record<string, unknown>>): EditedTable {
  if (!fields.has("rules")) return { rows: wordedRows(fields), rest: textOf(fields, "rest").trim() };
  const { words, edit } = serveIn(fields, "rest", variants);
  return { rows: rowsIn(fields, variants), rest: words, restEdit: edit };
}

/** Rows that were sent in words. */
function wordedRows(fields: Fields): RuleRow[] {
  const served = textsOf(fields, "serve");
  return textsOf(fields, "condition").map((condition, at) => ({
    condition: condition.trim(),
    serve: (served[at] ?? "").trim(),
  }));
}

/** Whether something was typed in a row. */
export function isTyped({ condition, serve }: RuleRow): boolean {
  return condition !== "" || serve !== "";
}

/** The variants that a rule of a draft chooses from; null while they cannot be read. */
export function variantsOf({ variants }: Draft): Record<string, unknown> | null {
  if (variants.trim() === "") return { on: true, off: false };
  const parsed = parseJson(variants);
  return parsed.fault === undefined && isObject(parsed.value) ? parsed.value : null;
}

/** Whether a flag with these values can have a payload: its variants are true and false, or there are none. */
export function mayHavePayload(draft: Draft): boolean {
  const variants = variantsOf(draft);
  return variants !== null && areBoolean(variants);
}

/** The rule of a draft as a table; null if its JSON is broken, or not one that rows express. */
export function tableOf(draft: Draft): RuleTable | null {
  const variants = variantsOf(draft);
  if (variants === null) return null;
  if (draft.targeting.trim() === "") return { rows: [], rest: "" };
  const parsed = parseJson(draft.targeting);
  const table = parsed.fault === undefined ? tableOfRule(parsed.value, variants) : null;
  return table?.rows.every(({ condition }) => fitsInLine(condition)) && areServed(table, variants)
    ? table
    : null;
}

/** Whether rows can choose what a table serves: shares need variants whose names have no commas, and none called `shares`. */
function areServed({ rows, rest }: RuleTable, variants: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(variants);
  if (!names.includes(SHARES) && names.every((name) => isName(name) && !name.includes(","))) return true;
  return [...rows.map(({ serve }) => serve), rest].every(
    (serve) => serve === "" || Object.hasOwn(variants, serve),
  );
}

/** The change from the base of values, of which it names only what differs. Throws `invalid` with the faults of its fields. */
export function patchOf({ draft, base, faults }: Values, timeZone: string): FlagPatch {
  const found = new Map(Object.entries(faults));
  const patch: Record<string, unknown> = {};
  const jsonOf = (name: Field): unknown => {
    if (draft[name].trim() === "") return name === "payload" || name === "colours" ? {} : null;
    const parsed = parseJson(draft[name]);
    if (parsed.fault === undefined) return parsed.value;
    if (!found.has(name)) found.set(name, parsed.fault);
    return undefined;
  };
  for (const name of changedFields(draft, base)) {
    if (name === "expires") {
      const at = draft.expires === "" ? null : parseWallTime(draft.expires, timeZone);
      if (at === null && draft.expires !== "") found.set(name, "write a date and a time");
      patch["expiredAt"] = at === null ? null : isoTime(at);
    } else if (isJson(name)) patch[name] = jsonOf(name);
    else if (name === "requires") {
      const typed = requirementLines(draft.requires);
      const wrong = typed.find(({ requirement }) => requirement === null);
      if (wrong) found.set(name, `${wrong.line} names no flag, or no variant: write new-cart=on,blue`);
      patch[name] = typed.map(({ requirement }) => requirement);
    } else if (name === "defaultVariant") patch[name] = draft[name].trim() || null;
    else patch[name] = fieldOf(name).kind === "switch" ? draft[name] === "on" : draft[name];
  }
  if (found.size > 0) throw faultsAt([...found]);
  completeRules(patch, draft);
  return patch;
}

/** Variants go with their rule and default; a flag that has none and gets a rule gets the variants on and off. */
function completeRules(patch: Record<string, unknown>, draft: Draft): void {
  if (draft.variants.trim() !== "") return;
  if ("variants" in patch) {
    delete patch["targeting"];
    delete patch["defaultVariant"];
  } else if (patch["targeting"] != null || patch["defaultVariant"] != null) {
    patch["variants"] = { on: true, off: false };
    patch["defaultVariant"] ??= "off";
  }
}

/** Whether two texts of a field mean the same. */
export function isSameText(field: Field, one: string, other: string): boolean {
  if (one.trim() === other.trim()) return true;
  if (!isJson(field)) return one === other;
  const [a, b] = [parseJson(one), parseJson(other)];
  return (
    a.fault === undefined && b.fault === undefined && JSON.stringify(a.value) === JSON.stringify(b.value)
  );
}

/** The fields in which a draft differs from the one it began as. */
export function changedFields(draft: Draft, base: Draft): Field[] {
  return NAMES.filter((name) => !isSameText(name, draft[name], base[name]));
}

/** Merges a draft with a concurrent change: fields that only the other user changed take the stored value. */
export function mergeDrafts(mine: Draft, base: Draft, theirs: Draft): Draft {
  const merged = { ...theirs };
  for (const name of changedFields(mine, base)) merged[name] = mine[name];
  return merged;
}
