import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { type SchemaObject, typesOf } from "./keywords.ts";
import { type SchemaIndex, inPlaceSchemas, indexSchema } from "./references.ts";

/** The properties of a schema whose fields hold single values or lists of choices. */
export type FlatSchema = {
  root: SchemaObject;
  properties: [name: string, property: SchemaObject][];
  required: ReadonlySet<string>;
  /** The schema with the keywords of schemas that it refers to. */
  resolve: (schema: unknown) => SchemaObject;
};

/** The error `invalid` for a schema that has no page. */
export function notFlat(problem: string): AppError {
  return new AppError("invalid", `the schema is not flat: ${problem}`, { reason: "schema-not-flat" });
}

/**
 * Reads a schema that was checked before. Throws `invalid`, naming the field, if a property holds other fields, a rule
 * names a field that is not one of `properties`, or there are no properties.
 */
export function readFlatSchema(schema: SchemaObject): FlatSchema {
  const index = indexSchema(schema);
  const resolve = (part: unknown) => resolved(index, part);
  const root = resolve(schema);
  const names = Object.keys((root["properties"] as object | undefined) ?? {});
  if (names.length === 0) throw notFlat("it has no properties");
  const properties = names.map((name): [string, SchemaObject] => {
    const property = (root["properties"] as SchemaObject)[name];
    if (property === false) throw notFlat(`the field ${name} takes no value`);
    if (isContainer(index, property)) throw notFlat(`the field ${name} holds other fields`);
    return [name, resolve(property)];
  });
  const unknown = namesInRules(index, schema).find((name) => !names.includes(name));
  if (unknown !== undefined) throw notFlat(`the field ${unknown} is in a rule and not in its properties`);
  const required = new Set((root["required"] as string[] | undefined) ?? []);
  return { root, properties, required, resolve };
}

/** More references than a schema leads through; it was checked that they end. */
const MAX_REFERENCES = 100;

function resolved(index: SchemaIndex, part: unknown): SchemaObject {
  let found: SchemaObject = {};
  let at = part;
  for (let count = 0; isObject(at) && count < MAX_REFERENCES; count += 1) {
    // The referring schema is more specific.
    found = { ...at, ...found };
    at = index.targets.get(at);
  }
  return found;
}

/** The schemas that apply to the same value. */
function inPlaceClosure(index: SchemaIndex, schema: unknown): Set<SchemaObject> {
  const closure = new Set([schema].filter(isObject));
  // The set grows while it is iterated, and iteration covers what is added.
  for (const each of closure) {
    for (const child of inPlaceSchemas(index, each)) if (isObject(child)) closure.add(child);
  }
  return closure;
}

function isContainer(index: SchemaIndex, property: unknown): boolean {
  return [...inPlaceClosure(index, property)].some(
    (schema) => typesOf(schema).includes("object") || isObject(schema["properties"]),
  );
}

/** Names of fields that the submission has to have, or that rules check, in the schema itself and its branches. */
function namesInRules(index: SchemaIndex, schema: SchemaObject): string[] {
  return [...inPlaceClosure(index, schema)].flatMap(({ properties, required, dependentRequired }) => [
    ...Object.keys((properties as object | undefined) ?? {}),
    ...((required as string[] | undefined) ?? []),
    ...Object.values((dependentRequired as Record<string, string[]> | undefined) ?? {}).flat(),
  ]);
}
