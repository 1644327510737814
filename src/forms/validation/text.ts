import { isObject } from "../../base/json.ts";
import { typesOf, valuesOf, type SchemaObject } from "./keywords.ts";
import type { Pattern } from "./patterns.ts";
import { inPlaceSchemas, type SchemaIndex } from "./references.ts";

/** A file of a submission: the field that it was sent as, and its name. */
export type SentFile = { field: string; name: string };

/** Reads the texts of a submission as the types of a schema; what remains is without the fields that count as missing. */
export type TextReader = (
  data: Record<string, unknown>,
  files: readonly SentFile[],
) => Record<string, unknown>;

/** Types that a schema allows, for converting a text. */
type FieldTypes = {
  /** Types named by "type". */
  types: Set<string>;
  /** Values named by "enum" and "const", and the JavaScript types of these. */
  values: Set<unknown>;
  valueTypes: Set<string>;
  /** For an item of a list; undefined if the schema says nothing of items. */
  item: (() => FieldTypes) | undefined;
};

const UNKNOWN: FieldTypes = { types: new Set(), values: new Set(), valueTypes: new Set(), item: undefined };

const TRUE = new Set(["on", "true", "1", "yes"]);
const FALSE = new Set(["off", "false", "0", "no"]);
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A reader of urlencoded and multipart fields, which are texts or lists of texts: "5" is 5 where the schema says number or
 * integer, "on" is true if it says boolean, one value is a list where it says array, and an empty text counts as
 * missing, or as null if the schema allows null. A text that cannot be read so stays a text. The name of a file is
 * a text of its field.
 */
export function createTextReader(index: SchemaIndex, patterns: ReadonlyMap<string, Pattern>): TextReader {
  const roots = [...inPlaceClosure(index, [index.root])];
  const known = new Map<string, FieldTypes>();
  const typesOf = (name: string): FieldTypes => {
    const earlier = known.get(name);
    if (earlier !== undefined) return earlier;
    const reading = typesFor(index, propertySchemas(roots, name, patterns));
    // Names that only the sender knows are not kept.
    if (roots.some((root) => Object.hasOwn((root["properties"] as object | undefined) ?? {}, name))) {
      known.set(name, reading);
    }
    return reading;
  };
  return (data, files) => {
    const fields = Object.create(null) as Record<string, unknown>;
    for (const [name, texts] of textsByField(data, files)) {
      const value = readField(texts, typesOf(name));
      if (value !== undefined) fields[name] = value;
    }
    return fields;
  };
}

function textsByField(data: Record<string, unknown>, files: readonly SentFile[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  const add = (name: string, values: readonly string[]) => {
    const wellFormed = name.toWellFormed();
    // Browsers send a line break as two characters, and count it as one: HTML, 4.10.11.
    const typed = values.map((value) => value.replaceAll("\r\n", "\n"));
    texts.set(wellFormed, [...(texts.get(wellFormed) ?? []), ...typed]);
  };
  for (const [name, value] of Object.entries(data)) {
    add(name, Array.isArray(value) ? (value as string[]) : [value as string]);
  }
  for (const { field, name } of files) add(field, [name]);
  return texts;
}

function readField(texts: readonly string[], reading: FieldTypes): unknown {
  const { types, values: named, item } = reading;
  const isList = types.has("array") || (types.size === 0 && named.size === 0 && item !== undefined);
  if (isList && !(texts.length === 1 && types.has("string"))) {
    const itemReading = item?.() ?? UNKNOWN;
    const values = texts.map((text) => readText(text, itemReading)).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : values;
  }
  // A page may send an empty hidden field beside a checkbox.
  const [text = "", ...more] = texts.filter((text) => text !== "");
  return more.length === 0 ? readText(text, reading) : [text, ...more];
}

function readText(text: string, { types, values, valueTypes }: FieldTypes): unknown {
  if (values.has(text)) return text;
  if (text === "") return types.has("null") ? null : undefined;
  if (types.has("string")) return text;
  if (types.has("number") || types.has("integer") || valueTypes.has("number")) {
    const number = DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
    if (Number.isFinite(number)) return number;
  }
  if (types.has("boolean") || valueTypes.has("boolean")) {
    const word = text.length > 5 ? "" : text.toLowerCase();
    if (TRUE.has(word)) return true;
    if (FALSE.has(word)) return false;
  }
  return text;
}

function typesFor(index: SchemaIndex, schemas: readonly unknown[]): FieldTypes {
  const reading: FieldTypes = { ...UNKNOWN, types: new Set(), values: new Set(), valueTypes: new Set() };
  const items: unknown[] = [];
  for (const schema of inPlaceClosure(index, schemas)) {
    for (const type of typesOf(schema)) reading.types.add(type);
    for (const value of valuesOf(schema) ?? []) {
      reading.values.add(value);
      reading.valueTypes.add(typeof value);
    }
    items.push(schema["items"], ...((schema["prefixItems"] as unknown[] | undefined) ?? []));
  }
  // A list of lists may contain itself, so its items are read when there are some.
  let item: FieldTypes | undefined;
  if (items.some((schema) => schema !== undefined)) reading.item = () => (item ??= typesFor(index, items));
  return reading;
}

/** The schemas themselves and all that apply to the same value. */
function inPlaceClosure(index: SchemaIndex, schemas: readonly unknown[]): Set<SchemaObject> {
  const closure = new Set(schemas.filter(isObject));
  // The set grows while it is iterated, and iteration covers what is added.
  for (const schema of closure) {
    for (const child of inPlaceSchemas(index, schema)) if (isObject(child)) closure.add(child);
  }
  return closure;
}

function propertySchemas(
  roots: readonly SchemaObject[],
  name: string,
  patterns: ReadonlyMap<string, Pattern>,
): unknown[] {
  return roots.flatMap((root) => {
    const properties = (root["properties"] as SchemaObject | undefined) ?? {};
    const found = Object.hasOwn(properties, name) ? [properties[name]] : [];
    for (const [source, schema] of Object.entries(
      (root["patternProperties"] as SchemaObject | undefined) ?? {},
    )) {
      if (patterns.get(source)?.test(name) === true) found.push(schema);
    }
    return found.length > 0 ? found : [root["additionalProperties"], root["unevaluatedProperties"]];
  });
}
