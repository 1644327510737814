import { isObject } from "../../../base/json.ts";
import { type RuleRow, type RuleTable, ruleOfTable, tableOfRule } from "../../../flags/rules/rule-table.ts";
import {
  coloursOf,
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  NONE_SHOWN,
  SHARED,
  type SharedName,
} from "../../../flags/flag-fields.ts";
import type { FlagRecord } from "../../../flags/flag.ts";
import { flagState } from "../../../flags/history.ts";
import { areBoolean } from "../../../flags/rules/rules.ts";
import { AppError } from "../../../base/errors.ts";
import { type Fields, fitsInLine, textOf, textsOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";
import {
  type EditedVariants,
  coloursIn,
  editedVariants,
  valuesOf,
  variantsIn,
} from "./variants/variant-rows.ts";
import { type EditedTable, SHARES, rowsIn, serveIn } from "./rule-rows.ts";
import { wallTime } from "../../../base/wall-time.ts";

/** A field by its name in the form of a flag, which has no metadata. */
export type Field = Exclude<FieldName, "metadata" | "expiredAt" | Exclude<SharedName, "colours">> | "expires";

export const NAMES = FIELD_NAMES.filter(
  (name) => name !== "metadata" && (name === "colours" || !(name in SHARED)),
).map((name) => (name === "expiredAt" ? "expires" : name)) as Field[];

export function fieldOf(name: Field) {
  return FIELDS[name === "expires" ? "expiredAt" : name];
}

/** Whether a field is typed as JSON. */
export function isJson(name: Field): boolean {
  return name === "payload" || name === "variants" || name === "targeting" || name === "colours";
}

/** The values of a flag in one environment, as the texts of its form. */
export type Draft = Record<Field, string>;

/** Errors of a draft, by field. */
export type Faults = Partial<Record<Field, string>>;

/** The draft of a flag as it is stored; times are in the time zone of the viewer. */
export function draftOf(record: FlagRecord, timeZone: string): Draft {
  const expires = record.expiresAt === null ? "" : wallTime(record.expiresAt, timeZone);
  const values: Partial<Record<Field, unknown>> = { ...NONE_SHOWN, ...flagState(record), expires };
  const textIn = (name: Field): string => {
    const value = values[name];
    if (typeof value === "boolean" && !isJson(name)) return value ? "on" : "off";
    if (name === "targeting" || name === "colours") return objectText(value);
    if (isJson(name)) return value === undefined ? "" : JSON.stringify(value, null, 2);
    return typeof value === "string" ? value : "";
  };
  return Object.fromEntries(NAMES.map((name) => [name, textIn(name)])) as Draft;
}

function objectText(value: unknown): string {
  const isEmpty = !isObject(value) || Object.keys(value).length === 0;
  return isEmpty ? "" : JSON.stringify(value, null, 2);
}

/** The draft that a form was rendered from, which it carries along; undefined if it carries none, or not a whole one. */
export function baseIn(fields: Fields): Draft | undefined {
  const parsed = parseJson(textOf(fields, "base"));
  if (parsed.fault !== undefined || !isObject(parsed.value)) return undefined;
  const { value } = parsed;
  return NAMES.every((name) => typeof value[name] === "string") ? (value as Draft) : undefined;
}

/** A draft as typed, with its rule and its variants as tables if the form had them. */
export type DraftInput = {
  draft: Draft;
  table: EditedTable | null;
  /** Null where variants are typed as JSON. */
  variants: EditedVariants | null;
  faults: Faults;
};

/** The input of a draft as it is. */
export function inputOf(draft: Draft): DraftInput {
  return { draft, table: tableOf(draft), variants: variantRowsOf(draft), faults: {} };
}

/** The variants of a draft as fields; null while they cannot be read, and for names that fields would change. */
function variantRowsOf(draft: Draft): EditedVariants | null {
  const variants = variantsOf(draft);
  return variants && Object.keys(variants).every(isName)
    ? editedVariants(variants, coloursOf(draft.colours))
    : null;
}

/** Whether a field keeps the name of a variant. */
function isName(text: string): boolean {
  return text !== "" && text.trim() === text && fitsInLine(text);
}

/** Reads a flag's form; fields that it did not send come from `base`. */
export function readDraft(fields: Fields, base: Draft): DraftInput {
  const draft = { ...base };
  for (const name of NAMES) if (fields.has(name)) draft[name] = textOf(fields, name);
  const typed = variantsIn(fields);
  if (typed === null) {
    const variants = fields.has("variants") ? null : variantRowsOf(draft);
    return { ...readRule(fields, draft, base), variants };
  }
  try {
    takeVariants(draft, base, typed);
    return { ...readRule(fields, draft, base), variants: typed };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { table, faults } = readRule(fields, draft, base);
    return { draft, table, variants: typed, faults: { ...faults, variants: error.message } };
  }
}

/** A draft with the variants of a table, and with its rule. */
export function withVariants(
  { draft, table }: DraftInput,
  base: Draft,
  variants: EditedVariants,
): DraftInput {
  const changed = { ...draft, variants: base.variants, colours: base.colours };
  try {
    takeVariants(changed, base, variants);
    const ruled = table ? withTable(changed, base, table) : { draft: changed, table, faults: {} };
    return { ...ruled, variants };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { draft, table, variants, faults: { variants: error.message } };
  }
}

/** Sets the variants of a table, and their colours. What means the same keeps its text. Throws `invalid`. */
function takeVariants(draft: Draft, base: Draft, typed: EditedVariants): void {
  const was = variantsOf(base) ?? {};
  const own = coloursOf(base.colours);
  const colours = coloursIn(typed, own, was);
  if (!Bun.deepEquals(colours, own)) draft.colours = objectText(colours);
  const variants = valuesOf(typed);
  if (Bun.deepEquals(variants, was)) return;
  draft.variants = objectText(variants);
  // Readers of a flag without variants who got true still get the first.
  if (base.variants !== "" || draft.variants === "" || draft.defaultVariant !== "") return;
  const names = Object.keys(variants);
  draft.defaultVariant = names.includes("on") ? "on" : names[0]!;
}

function readRule(fields: Fields, draft: Draft, base: Draft): Omit<DraftInput, "variants"> {
  if (!fields.has("condition") && !fields.has("rules"))
    return { draft, table: fields.has("targeting") ? null : tableOf(draft), faults: {} };
  return withTable(draft, base, tableIn(fields, variantsOf(draft) ?? {}));
}

/** A draft with the rule of a table, or what is wrong with it. Rows in which nothing was typed are left out. */
export function withTable(draft: Draft, base: Draft, typed: EditedTable): Omit<DraftInput, "variants"> {
  const table = { ...typed, rows: typed.rows.filter(isTyped) };
  // A rule that is left as it is stays as it was written, also where words have another notation for it.
  if (draft.variants === base.variants && Bun.deepEquals(wordsOf(table), tableOf(base)))
    return { draft: { ...draft, targeting: base.targeting }, table, faults: {} };
  try {
    const variants = variantsOf(draft);
    if (variants === null) return { draft, table, faults: {} };
    return { draft: { ...draft, targeting: objectText(ruleOfTable(table, variants)) }, table, faults: {} };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message, hint } = error;
    return { draft, table, faults: { targeting: hint === null ? message : `${message}: ${hint}` } };
  }
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

function tableIn(fields: Fields, variants: Readonly<Record<string, unknown>>): EditedTable {
  const { rows, ...rest } = typedTable(fields, variants);
  return { rows: rows.filter(isTyped), ...rest };
}

/** The variants that a rule of a draft chooses from; null while they cannot be read. */
export function variantsOf({ variants }: Draft): Record<string, unknown> | null {
  if (variants.trim() === "") return { on: true, off: false };
  const parsed = parseJson(variants);
  return parsed.fault === undefined && isObject(parsed.value) ? parsed.value : null;
}

/** Whether a flag with these values can have a payload: its variants are true and false, or there are none. */
export function mayHavePayload({ variants }: Draft): boolean {
  if (variants.trim() === "") return true;
  const parsed = parseJson(variants);
  return parsed.fault === undefined && isObject(parsed.value) && areBoolean(parsed.value);
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
