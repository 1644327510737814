import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";

/** A JSON Schema that is an object of keywords; `true` and `false` are schemas too. */
export type SchemaObject = Record<string, unknown>;

type Shape =
  | "schema"
  | "list of schemas"
  | "map of schemas"
  | "names"
  | "map of names"
  | "count"
  | "number"
  | "positive number"
  | "flag"
  | "text"
  | "types"
  | "values"
  | "anything";

/** The keywords of JSON Schema 2020-12 and the shape of their values. A Map, because a keyword may be called "constructor". */
const KEYWORDS = new Map<string, Shape>(
  Object.entries({
    schema:
      "items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties not if then else contentSchema",
    "list of schemas": "allOf anyOf oneOf prefixItems",
    "map of schemas": "properties patternProperties dependentSchemas $defs definitions",
    names: "required",
    "map of names": "dependentRequired",
    count: "minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties",
    number: "minimum maximum exclusiveMinimum exclusiveMaximum",
    "positive number": "multipleOf",
    flag: "uniqueItems deprecated readOnly writeOnly",
    text: "$id $schema $ref $anchor $dynamicAnchor $comment title description format pattern contentEncoding contentMediaType",
    types: "type",
    values: "enum",
    anything: "const default examples",
  }).flatMap(([shape, names]) => names.split(" ").map((name) => [name, shape as Shape])),
);

/** Keywords of other drafts, or beyond what is checked, that would have no effect; with what to write instead. */
const REFUSED = new Map([
  ["$dynamicRef", 'dynamic references are not supported: use "$ref"'],
  ["$recursiveRef", 'dynamic references are not supported: use "$ref"'],
  ["additionalItems", 'draft 2020-12 has no such keyword: use "items" beside "prefixItems"'],
  ["dependencies", 'draft 2020-12 has no such keyword: use "dependentRequired" or "dependentSchemas"'],
]);

const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"];

const EXPECTED: Record<
  Exclude<Shape, "anything" | "types">,
  [fits: (value: unknown) => boolean, what: string]
> = {
  schema: [isSchema, "a schema: an object, true or false"],
  "list of schemas": [
    (value) => isFilledList(value) && value.every(isSchema),
    "a list of one or more schemas",
  ],
  "map of schemas": [
    (value) => isObject(value) && Object.values(value).every(isSchema),
    "an object of schemas",
  ],
  names: [isNames, "a list of different names"],
  "map of names": [
    (value) => isObject(value) && Object.values(value).every(isNames),
    "an object of lists of names",
  ],
  count: [(value) => Number.isSafeInteger(value) && Number(value) >= 0, "a whole number from 0"],
  number: [Number.isFinite, "a number"],
  "positive number": [(value) => Number.isFinite(value) && Number(value) > 0, "a number above 0"],
  flag: [(value) => typeof value === "boolean", "true or false"],
  text: [(value) => typeof value === "string", "a text"],
  values: [isFilledList, "a list of one or more values"],
};

/** The error `invalid` for a place in a schema, given as a JSON pointer (RFC 6901) in a URI fragment. */
export function schemaError(pointer: string, problem: string): AppError {
  const place = JSON.stringify(pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer).slice(1, -1);
  return new AppError("invalid", `the schema is invalid at ${place}: ${problem}`);
}

/** The JSON pointer of a child. */
export function childPointer(pointer: string, ...steps: (string | number)[]): string {
  return steps.reduce<string>(
    (path, step) => `${path}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`,
    pointer,
  );
}

/** Whether a schema holds words alone that are not keywords, such as the names of fields without `properties`. */
export function checksNothing(schema: SchemaObject): boolean {
  const words = Object.keys(schema);
  return words.length > 0 && !words.some((word) => word.startsWith("$") || KEYWORDS.has(word));
}

/** Throws `invalid` for a keyword with a value of the wrong shape. Unknown keywords are allowed, as in the specification. */
export function checkKeywords(schema: SchemaObject, pointer: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const place = childPointer(pointer, keyword);
    const refused = REFUSED.get(keyword);
    if (refused !== undefined) throw schemaError(place, refused);
    const shape = KEYWORDS.get(keyword);
    if (shape === undefined || shape === "anything") continue;
    if (keyword === "items" && Array.isArray(value)) {
      throw schemaError(place, 'in draft 2020-12 a list of schemas is written as "prefixItems"');
    }
    if (shape === "types") checkTypes(value, place);
    else {
      const [fits, what] = EXPECTED[shape];
      if (!fits(value)) throw schemaError(place, `"${keyword}" is ${what}`);
    }
    if (shape === "map of schemas") checkNames(value as SchemaObject, place);
  }
}

/** A schema inside another one, and whether it applies to the same value, as `allOf` does, or to a part of it. */
export type Subschema = { pointer: string; schema: unknown; inPlace: boolean };

const IN_PLACE = new Set(["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"]);

/** The schemas directly inside a schema whose keywords are checked. */
export function subschemas(schema: SchemaObject, pointer: string): Subschema[] {
  const found: Subschema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = KEYWORDS.get(keyword);
    const inPlace = IN_PLACE.has(keyword);
    if (shape === "schema") {
      found.push({ pointer: childPointer(pointer, keyword), schema: value, inPlace });
    } else if (shape === "list of schemas" || shape === "map of schemas") {
      for (const [step, child] of Object.entries(value as object)) {
        found.push({ pointer: childPointer(pointer, keyword, step), schema: child, inPlace });
      }
    }
  }
  return found;
}

/** The types that a schema names itself, in "type". */
export function typesOf(schema: SchemaObject): string[] {
  const type = schema["type"];
  return Array.isArray(type) ? (type as string[]) : type === undefined ? [] : [type as string];
}

/** The values that a schema names itself, in "const" or "enum"; undefined if it has neither. */
export function valuesOf(schema: SchemaObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema["const"]];
  return schema["enum"] as unknown[] | undefined;
}

function checkTypes(value: unknown, place: string): void {
  const types: unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => !TYPES.includes(type as string));
  if (types.length === 0 || wrong !== undefined || new Set(types).size < types.length) {
    const shown = typeof wrong === "string" ? `${JSON.stringify(wrong.slice(0, 40))} is not a type; ` : "";
    throw schemaError(place, `${shown}"type" is one or a list of ${TYPES.join(", ")}`);
  }
}

/** The library writes names into URI fragments, which cannot hold half a surrogate pair. */
function checkNames(map: SchemaObject, place: string): void {
  const broken = Object.keys(map).find((name) => !name.isWellFormed());
  if (broken !== undefined) throw schemaError(childPointer(place, broken), "the name is not valid Unicode");
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isObject(value);
}

function isFilledList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isNames(value: unknown): boolean {
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) return false;
  return new Set(value).size === value.length;
}
