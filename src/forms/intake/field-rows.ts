import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { readFlatSchema } from "../validation/flat.ts";
import type { SchemaObject } from "../validation/keywords.ts";
import { LONGEST_LINE, readable } from "./page-content.ts";

/** The types of a field that rows can write. */
export const FIELD_TYPES = [
  "text",
  "paragraph",
  "email",
  "number",
  "date",
  "yes or no",
  "choice",
  "choices",
] as const;

/** `other` is a type that only JSON can say: such a field keeps it. */
export type FieldType = (typeof FIELD_TYPES)[number] | "other";

/** A field of a flat schema as a row of words. */
export type FieldRow = {
  /** Its name in submissions; empty for a new field, which gets one from its label. */
  name: string;
  label: string;
  type: FieldType;
  required: boolean;
  /** The values of a choice; empty for other types. */
  choices: readonly string[];
  help: string;
};

/** The part of a row that is wrong. */
export type RowFault = { row: number; part: "label" | "choices"; message: string };

export const BLANK_FIELD: FieldRow = {
  name: "",
  label: "",
  type: "text",
  required: false,
  choices: [],
  help: "",
};

/** The longest text of a paragraph, in characters: one of more than a line is typed in several. */
const PARAGRAPH = 10_000;

/** Keywords that stay if the type of a field changes. */
const TYPELESS = new Set(["title", "description", "$comment", "deprecated"]);

/** Keywords that choose among schemas, or refer to one, so that the type stands elsewhere. */
const INDIRECT = ["$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "readOnly"];

/**
 * The rows of a schema, in its order; none for null. A schema that is not flat has none: `problem` says why. Names of one
 * to nine digits cannot be ordered.
 */
export function rowsOfSchema(schema: SchemaObject | null): { rows: FieldRow[] } | { problem: string } {
  if (schema === null || isEmpty(schema)) return { rows: [] };
  if (!isObject(schema["properties"])) return { problem: "the schema has no properties of its own" };
  try {
    readFlatSchema(schema);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { problem: error.message };
  }
  const { properties } = schema;
  const simple = Object.entries(properties as SchemaObject);
  const unsaid = simple.find(([, property]) => !isObject(property));
  if (unsaid) return { problem: `the field ${unsaid[0]} has no keywords` };
  const required = requiredIn(schema);
  return {
    rows: simple.map(([name, property]) => rowOf(name, property as SchemaObject, required.includes(name))),
  };
}

/** Whether a schema names no fields: rows may begin there. */
function isEmpty(schema: SchemaObject): boolean {
  const { properties, $ref, allOf, anyOf, oneOf } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const more = [$ref, allOf, anyOf, oneOf].some((each) => each !== undefined);
  return names.length === 0 && requiredIn(schema).length === 0 && !more;
}

function requiredIn({ required }: SchemaObject): string[] {
  return Array.isArray(required) ? (required as string[]) : [];
}

function rowOf(name: string, property: SchemaObject, required: boolean): FieldRow {
  const { title, description } = property;
  const label = typeof title === "string" && title.trim() !== "" ? oneLine(title) : readable(name);
  const { type, choices = [] } = typeOf(property);
  const help = typeof description === "string" ? lines(description) : "";
  return { name, label, type, required, choices, help };
}

function typeOf(property: SchemaObject): { type: FieldType; choices?: readonly string[] } {
  if (INDIRECT.some((keyword) => Object.hasOwn(property, keyword))) return { type: "other" };
  const { type, format, items, maxLength } = property;
  const values = Object.hasOwn(property, "const") ? [property["const"]] : property["enum"];
  if (type === "boolean") {
    const isBox = values === undefined || (Array.isArray(values) && values.every((each) => each === true));
    return { type: isBox ? "yes or no" : "other" };
  }
  if (Object.hasOwn(property, "const")) return { type: "other" };
  if (type === "array") {
    const isPlain = isObject(items) && (items["type"] === undefined || items["type"] === "string");
    if (!isPlain || property["prefixItems"] !== undefined) return { type: "other" };
    return Object.keys(items).every((key) => key === "type" || key === "enum") && areChoices(items["enum"])
      ? { type: "choices", choices: items["enum"] }
      : { type: "other" };
  }
  if (values !== undefined) {
    const isPlain = (type === "string" || type === undefined) && format === undefined;
    return isPlain && areChoices(values) ? { type: "choice", choices: values } : { type: "other" };
  }
  if (type === "number" || type === "integer") return { type: "number" };
  const isText = type === "string" || (type === undefined && items === undefined);
  if (!isText || property["prefixItems"] !== undefined) return { type: "other" };
  if (format === "email" || format === "date") return { type: format };
  if (format !== undefined) return { type: "other" };
  return { type: typeof maxLength === "number" && maxLength > LONGEST_LINE ? "paragraph" : "text" };
}

/** Whether values are different texts that stand on a line each. */
function areChoices(values: unknown): values is string[] {
  if (!Array.isArray(values) || new Set(values).size < values.length) return false;
  return values.every(
    (each) => typeof each === "string" && each !== "" && lines(each) === each && !/\n/.test(each),
  );
}

/** A text as a field of several lines gives it back. */
function lines(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD").replaceAll(/\r\n?/g, "\n").trim();
}

/** A text as a field of one line gives it back. */
function oneLine(text: string): string {
  return lines(text).replaceAll(/\s+/g, " ");
}

/**
 * The schema with these rows for its properties; null for one that names no fields and says nothing else. Whatever rows do
 * not say stays as it is in `base`, and so does a row that says what is there. `taken` are names that new fields do not get.
 */
export function schemaOfRows(
  base: SchemaObject | null,
  rows: readonly FieldRow[],
  taken: ReadonlySet<string>,
): { schema: SchemaObject | null; faults: RowFault[] } {
  const known = isObject(base?.["properties"]) ? (base["properties"] as SchemaObject) : {};
  const faults: RowFault[] = [];
  const names = new Set([...taken, ...rows.map(({ name }) => name)]);
  const named = rows.flatMap((row, index): FieldRow[] => {
    const fault = faultOf(row);
    if (fault) faults.push({ row: index, ...fault });
    if (isBlank(row)) return [];
    const name = row.name === "" ? nameFor(row.label, names) : row.name;
    names.add(name);
    return [{ ...row, name }];
  });
  const properties = Object.fromEntries(
    named.map((row) => {
      const before = Object.hasOwn(known, row.name) ? known[row.name] : undefined;
      return [row.name, propertyOf(row, isObject(before) ? before : undefined)];
    }),
  );
  return { schema: withFields(base, properties, named), faults };
}

/** Whether a row is one in which nothing was typed. */
export function isBlank({ name, label, choices, help, required }: FieldRow): boolean {
  return name === "" && lines(label + help) === "" && choices.length === 0 && !required;
}

function faultOf(row: FieldRow): Omit<RowFault, "row"> | null {
  if (isBlank(row)) return null;
  if (oneLine(row.label) === "") return { part: "label", message: "write a label" };
  if (row.type !== "choice" && row.type !== "choices") return null;
  const [choices, seen] = [row.choices, new Set<string>()];
  if (choices.length === 0) return { part: "choices", message: "write the choices, a line each" };
  const twice = choices.find((each) => seen.size === seen.add(each).size);
  return twice === undefined ? null : { part: "choices", message: `${twice} is there twice` };
}

function withFields(
  base: SchemaObject | null,
  properties: SchemaObject,
  rows: readonly FieldRow[],
): SchemaObject | null {
  const asked = rows.filter(({ required }) => required).map(({ name }) => name);
  const before = requiredIn(base ?? {});
  const kept = before.filter((name) => asked.includes(name));
  const required = [...kept, ...asked.filter((name) => !before.includes(name))];
  if (base === null) {
    if (rows.length === 0) return null;
    return { type: "object", properties, ...(required.length > 0 && { required }) };
  }
  const schema: SchemaObject = { ...base, properties };
  if (rows.length === 0 && base["properties"] === undefined) delete schema["properties"];
  if (required.length > 0) schema["required"] = required;
  else if (before.length > 0) delete schema["required"];
  return schema;
}

function propertyOf(row: FieldRow, before: SchemaObject | undefined): SchemaObject {
  const old = before === undefined ? undefined : rowOf(row.name, before, false);
  const { label, type, choices, help } = row;
  const isSameType = old?.type === type;
  const hasChoices = type === "choice" || type === "choices";
  const areSame = isSameType && (!hasChoices || Bun.deepEquals(choices, old.choices));
  const property: SchemaObject = old === undefined ? { title: oneLine(label) } : { ...before };
  if (old !== undefined && oneLine(label) !== old.label) property["title"] = oneLine(label);
  if (!areSame) retype(property, row, old?.type);
  if (lines(help) !== (old?.help ?? "")) {
    if (lines(help) === "") delete property["description"];
    else property["description"] = lines(help);
  }
  return property;
}

/** Makes a property one of the type of its row. */
function retype(property: SchemaObject, { type, choices }: FieldRow, before: FieldType | undefined): void {
  const isLonger = before === "text" && type === "paragraph";
  if (isLonger || (before === "paragraph" && type === "text")) {
    delete property["maxLength"];
    if (isLonger) property["maxLength"] = PARAGRAPH;
    return;
  }
  if (before === type) delete property["default"];
  else for (const keyword of Object.keys(property)) if (!TYPELESS.has(keyword)) delete property[keyword];
  if (type === "choices" && before === type)
    property["items"] = { ...(property["items"] as SchemaObject), enum: [...choices] };
  else Object.assign(property, keywordsOf(type, choices));
}

function keywordsOf(type: FieldType, choices: readonly string[]): SchemaObject {
  switch (type) {
    case "text":
      return { type: "string" };
    case "paragraph":
      return { type: "string", maxLength: PARAGRAPH };
    case "email":
    case "date":
      return { type: "string", format: type };
    case "number":
      return { type: "number" };
    case "yes or no":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: [...choices] };
    case "choices":
      return { type: "array", items: { enum: [...choices] }, uniqueItems: true };
    case "other":
      return {};
    default:
      return type satisfies never;
  }
}

/** The longest name that is made from a label, in characters. */
const LONGEST_NAME = 40;

/** A name for submissions that is not taken: `your_name` for "Your name". */
function nameFor(label: string, taken: ReadonlySet<string>): string {
  const words = label
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "_");
  const short = Array.from(words)
    .slice(0, LONGEST_NAME)
    .join("")
    .replaceAll(/^_+|_+$/g, "");
  // Names of digits alone would come before all others.
  const name = short === "" || /^\d+$/.test(short) ? `field${short && `_${short}`}` : short;
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
  return free;
}
