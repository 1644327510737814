import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { hasVisible, normalize } from "../../base/normalize.ts";
import { readFlatSchema } from "../validation/flat.ts";
import type { SchemaObject } from "../validation/keywords.ts";
import { readable } from "./page-content.ts";
import { type FieldType, asSent, lines, oneLine, retype, typeOf } from "./row-types.ts";

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
  const unnamed = simple.find(([name]) => name === "" || asSent(name) !== name);
  if (unnamed) return { problem: `pages cannot show the name ${JSON.stringify(unnamed[0])}` };
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
  const label = typeof title === "string" && hasVisible(title) ? oneLine(title) : oneLine(readable(name));
  const { type, choices = [] } = typeOf(property);
  const help = typeof description === "string" ? lines(description) : "";
  return { name, label, type, required, choices, help };
}

/**
 * The schema with these rows as its properties; null if it has no fields and nothing else. Parts of `base` that rows
 * cannot express are kept, as are rows that say the same as `base`. New fields do not get the names in `taken`.
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
function isBlank({ name, label, choices, help, required }: FieldRow): boolean {
  return name === "" && lines(label + help) === "" && choices.length === 0 && !required;
}

function faultOf(row: FieldRow): Omit<RowFault, "row"> | null {
  if (isBlank(row)) return null;
  if (!hasVisible(row.label)) return { part: "label", message: "write a label" };
  if (row.type !== "choice" && row.type !== "choices") return null;
  const [choices, seen] = [row.choices, new Set<string>()];
  if (choices.length === 0) return { part: "choices", message: "write the choices, a line each" };
  const twice = choices.find((each) => seen.size === seen.add(each).size);
  return twice === undefined ? null : { part: "choices", message: `the choice ${twice} is there twice` };
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

/** The longest name that is made from a label, in characters. */
const LONGEST_NAME = 40;

/** A name for submissions that is not taken: `your_name` for "Your name". */
function nameFor(label: string, taken: ReadonlySet<string>): string {
  const words = normalize(label.toWellFormed(), "NFC")
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
