import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import {
  BLANK_FIELD,
  type FieldRow,
  type RowFault,
  rowsOfSchema,
  schemaOfRows,
} from "../../../forms/intake/field-rows.ts";
import { FIELD_TYPES } from "../../../forms/intake/row-types.ts";
import { controlNames } from "../../../forms/intake/control-fields.ts";
import type { Form } from "../../../forms/form.ts";
import { type Fields, rowOf, textOf } from "../fields.ts";
import { parseJson, positionOfPointer } from "../json-text.ts";

type Schema = Record<string, unknown> | null;

/** The fields of a form as they are edited: as rows over a schema, or as its JSON. */
export type FieldsDraft = {
  /** The schema that was stored when the page was made. */
  before: Schema;
} & ({ as: "rows"; base: Schema; rows: readonly FieldRow[] } | { as: "json"; text: string });

/** Errors of a draft: of its rows, of its JSON, or of the whole. */
export type FieldsFaults = { rows?: readonly RowFault[]; json?: string; whole?: string };

/** The most rows of one form. */
const MAX_ROWS = 500;

/** The draft of the fields of a form as they are stored; `why` says for JSON why there are no rows. */
export function storedFields(
  { schema }: Pick<Form, "schema">,
  asJson: boolean,
): { draft: FieldsDraft; why?: string } {
  const read = rowsOfSchema(schema);
  const text = textOfSchema(schema);
  if ("problem" in read) return { draft: { before: schema, as: "json", text }, why: read.problem };
  if (asJson) return { draft: { before: schema, as: "json", text } };
  const rows = read.rows.length === 0 ? [BLANK_FIELD] : read.rows;
  return { draft: { before: schema, as: "rows", base: schema, rows } };
}

function textOfSchema(schema: Schema): string {
  return schema === null ? "" : JSON.stringify(schema, null, 2);
}

/** The draft of a form that was sent; what it does not carry is as it is stored. */
export function readFields(fields: Fields, { schema }: Pick<Form, "schema">): FieldsDraft {
  const before = schemaIn(fields, "before", schema);
  if (textOf(fields, "as") === "json") return { before, as: "json", text: textOf(fields, "schema") };
  const count = Math.min(MAX_ROWS, Number(textOf(fields, "fields")) || 0);
  const rows = Array.from({ length: count }, (_, index): FieldRow => {
    const read = (name: string) => textOf(fields, `${name}-${index + 1}`);
    const type = read("type");
    return {
      name: read("name"),
      label: read("label"),
      type: type === "other" ? type : (FIELD_TYPES.find((each) => each === type) ?? "text"),
      required: read("required") === "on",
      choices: read("choices")
        .split("\n")
        .flatMap((line) => line.trim() || []),
      help: read("help"),
    };
  });
  return { before, as: "rows", base: schemaIn(fields, "base", schema), rows };
}

function schemaIn(fields: Fields, name: string, stored: Schema): Schema {
  const parsed = parseJson(textOf(fields, name));
  if (parsed.fault !== undefined) return stored;
  return isObject(parsed.value) ? parsed.value : parsed.value === null ? null : stored;
}

/** The schema of a draft, or what is wrong with it. Rows with faults are left out of the schema. */
export function schemaOf(
  draft: FieldsDraft,
  { honeypots }: Pick<Form, "honeypots">,
): { schema: Schema; faults: FieldsFaults | null } {
  if (draft.as === "rows") {
    const { base, rows } = draft;
    const taken = controlNames(honeypots);
    const { faults } = schemaOfRows(base, rows, taken);
    const sound = rows.filter((_, index) => !faults.some(({ row }) => row === index));
    const { schema } = schemaOfRows(base, sound, taken);
    return { schema, faults: faults.length > 0 ? { rows: faults } : null };
  }
  if (draft.text.trim() === "") return { schema: null, faults: null };
  const parsed = parseJson(draft.text);
  if (parsed.fault !== undefined) return { schema: null, faults: { json: parsed.fault } };
  if (!isObject(parsed.value))
    return { schema: null, faults: { json: "in line 1, column 1: a schema is an object" } };
  return { schema: parsed.value, faults: null };
}

/** The error of a schema at the place in its JSON, or over its rows. */
export function faultsOf(draft: FieldsDraft, { message }: AppError): FieldsFaults {
  const text = message.replace(/^(?:schema|page): /, "");
  if (draft.as === "rows") return { whole: text };
  return { json: placed(draft.text, text) };
}

/** The error of a schema with its line and column in place of the JSON pointer that it names. */
function placed(text: string, error: string): string {
  const [, rest] = /^the schema is invalid at #(.*)$/s.exec(error) ?? [];
  // A name in a pointer may hold a colon too.
  for (let at = rest?.indexOf(": ") ?? -1; at !== -1; at = rest!.indexOf(": ", at + 1)) {
    const { value } = { value: null, ...parseJson(`"${rest!.slice(0, at)}"`) };
    const place = typeof value === "string" ? positionOfPointer(text, value) : null;
    if (place) return `in line ${place.line}, column ${place.column}: ${rest!.slice(at + 2)}`;
  }
  return error;
}

/** The other notation of a draft, or what keeps it in this one. */
export function inNotation(
  draft: FieldsDraft,
  as: "rows" | "json",
  form: Pick<Form, "honeypots">,
): { draft: FieldsDraft; faults: FieldsFaults | null } {
  if (draft.as === as) return { draft, faults: null };
  const { schema, faults } = schemaOf(draft, form);
  if (faults) return { draft, faults };
  const { before } = draft;
  if (as === "json") return { draft: { before, as, text: textOfSchema(schema) }, faults: null };
  try {
    const read = rowsOfSchema(schema);
    if ("problem" in read) return { draft, faults: { json: read.problem } };
    const rows = read.rows.length === 0 ? [BLANK_FIELD] : read.rows;
    return { draft: { before, as, base: schema, rows }, faults: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { draft, faults: faultsOf(draft, error) };
  }
}

/** A draft after a button of its rows: `add`, or `up-2`, `down-2` and `remove-2` for the second. */
export function withRowsMoved(draft: FieldsDraft, act: string): FieldsDraft {
  if (draft.as === "json") return draft;
  const rows = [...draft.rows];
  const at = rowOf(act) - 1;
  const to = act.startsWith("up") ? at - 1 : at + 1;
  if (act === "add") rows.push(BLANK_FIELD);
  else if (act.startsWith("remove")) rows.splice(at, 1);
  else if (rows[at] && rows[to]) [rows[at], rows[to]] = [rows[to], rows[at]];
  return { ...draft, rows: rows.length === 0 ? [BLANK_FIELD] : rows.slice(0, MAX_ROWS) };
}

/** Whether two schemas are the same to the letter: the order of their fields counts. */
export function areSameSchemas(one: Schema, other: Schema): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
