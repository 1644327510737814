import { parseUrl } from "../../base/origins.ts";
import { isObject } from "../../base/json.ts";
import {
  checkKeywords,
  childPointer,
  schemaError,
  subschemas,
  typesOf,
  valuesOf,
  type SchemaObject,
} from "./keywords.ts";

/** A schema with every schema inside it, and where each reference leads. */
export type SchemaIndex = {
  root: SchemaObject;
  /** The JSON pointer of every schema. */
  pointers: Map<SchemaObject, string>;
  /** Target of each schema's `$ref`: an object or a boolean. */
  targets: Map<SchemaObject, unknown>;
};

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The base of relative references in a schema without `$id`; no schema can be fetched from it. */
const DEFAULT_BASE = "form-schema:/";

/** A chain of schemas for one value. The data has 16 levels, and each recurses as deep as this. */
const MAX_CHAIN = 32;

/** Schemas checked for one value: a schema that refers to another twice, which refers to another twice, grows without bound. */
const MAX_VISITS = 5000;

/**
 * Reads a schema, which is JSON without shared parts. Throws `invalid`, naming the place, for a malformed keyword, another
 * draft, a reference that leads nowhere in the schema itself, a schema that refers to itself without end, and one that
 * no submission can match, as a submission is an object.
 */
export function indexSchema(root: SchemaObject): SchemaIndex {
  const index: SchemaIndex = { root, pointers: new Map(), targets: new Map() };
  const bases = new Map<SchemaObject, string>();
  const resources = new Map<string, SchemaObject>([[DEFAULT_BASE, root]]);
  const anchors = new Map<string, SchemaObject>();

  const add = (schema: unknown, pointer: string, outer: string): void => {
    if (!isObject(schema) || index.pointers.has(schema)) return;
    checkKeywords(schema, pointer);
    checkDialect(schema, pointer);
    index.pointers.set(schema, pointer);
    const base = baseOf(schema, pointer, outer);
    bases.set(schema, base);
    if (base !== outer) resources.set(base, schema);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = schema[keyword];
      if (typeof name === "string") anchors.set(`${base}#${name}`, schema);
    }
    for (const child of subschemas(schema, pointer)) add(child.schema, child.pointer, base);
  };

  const resolve = (reference: string, base: string): unknown => {
    const hash = reference.indexOf("#");
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? "" : decoded(reference.slice(hash + 1));
    const target = address === "" ? base : absolute(address, base);
    const resource = target === undefined ? undefined : resources.get(target);
    if (fragment === "" || resource === undefined || target === undefined) return resource;
    if (!fragment.startsWith("/")) return anchors.get(`${target}#${fragment}`);
    const found = follow(resource, fragment);
    // A reference may lead to a place that is no keyword of JSON Schema, such as "#/components/address".
    add(found, `${index.pointers.get(resource) ?? "#"}${fragment}`, target);
    return found;
  };

  add(root, "#", DEFAULT_BASE);
  // The map grows while references lead to new places, and iteration covers those too.
  for (const [schema, pointer] of index.pointers) {
    const reference = schema["$ref"];
    if (reference === undefined) continue;
    const target = resolve(reference as string, bases.get(schema) ?? DEFAULT_BASE);
    if (!isObject(target) && typeof target !== "boolean") {
      throw schemaError(
        childPointer(pointer, "$ref"),
        `nothing in this schema is at ${JSON.stringify(reference).slice(0, 100)}; other files and addresses are not fetched, put what they hold under "$defs"`,
      );
    }
    index.targets.set(schema, target);
  }
  checkRecursion(index);
  checkAcceptsObjects(index, root, "#");
  return index;
}

/** The schemas that a schema applies to the same value, the target of `$ref` included. */
export function inPlaceSchemas(index: SchemaIndex, schema: SchemaObject): unknown[] {
  const found = subschemas(schema, "").filter((child) => child.inPlace);
  const target = index.targets.get(schema);
  return [...(target === undefined ? [] : [target]), ...found.map((child) => child.schema)];
}

function checkDialect(schema: SchemaObject, pointer: string): void {
  const dialect = schema["$schema"];
  if (dialect === undefined || dialect === DIALECT || dialect === `${DIALECT}#`) return;
  throw schemaError(
    childPointer(pointer, "$schema"),
    `only draft 2020-12 is supported: write ${JSON.stringify(DIALECT)} or leave "$schema" out`,
  );
}

function baseOf(schema: SchemaObject, pointer: string, outer: string): string {
  const id = schema["$id"];
  if (typeof id !== "string") return outer;
  const base = absolute(id.replace(/#$/, ""), outer);
  if (base !== undefined && !base.includes("#")) return base;
  throw schemaError(childPointer(pointer, "$id"), '"$id" is a URI without a fragment');
}

function absolute(address: string, base: string): string | undefined {
  return parseUrl(address, base)?.href;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function follow(from: unknown, pointer: string): unknown {
  let at: unknown = from;
  for (const step of pointer.slice(1).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

type Extent = { height: number; visits: number };

/** A schema that applies to a part of the value may contain itself: that ends with the data. */
function checkRecursion(index: SchemaIndex): void {
  const extents = new Map<SchemaObject, Extent>();
  const open = new Set<SchemaObject>();
  const extentOf = (schema: unknown, from: SchemaObject): Extent => {
    if (!isObject(schema)) return { height: 1, visits: 1 };
    const known = extents.get(schema);
    if (known !== undefined) return known;
    const pointer = index.pointers.get(open.has(schema) ? from : schema) ?? "#";
    if (open.has(schema)) throw schemaError(pointer, "the schema refers to itself without end");
    open.add(schema);
    const extent = { height: 1, visits: 1 };
    for (const child of inPlaceSchemas(index, schema)) {
      const { height, visits } = extentOf(child, schema);
      extent.height = Math.max(extent.height, height + 1);
      extent.visits += visits;
    }
    open.delete(schema);
    if (extent.height > MAX_CHAIN) {
      throw schemaError(pointer, `more than ${MAX_CHAIN} schemas refer to each other in a row`);
    }
    if (extent.visits > MAX_VISITS) {
      throw schemaError(pointer, `one value is checked by more than ${MAX_VISITS} schemas`);
    }
    extents.set(schema, extent);
    return extent;
  };
  for (const schema of index.pointers.keys()) extentOf(schema, schema);
}

function checkAcceptsObjects(index: SchemaIndex, schema: unknown, from: string): void {
  const problem = "no submission can match, because a submission is an object of fields";
  if (schema === false) throw schemaError(from, problem);
  if (!isObject(schema)) return;
  const pointer = index.pointers.get(schema) ?? from;
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes("object")) {
    throw schemaError(childPointer(pointer, "type"), `${problem}: use "object"`);
  }
  const values = valuesOf(schema);
  if (values !== undefined && !values.some(isObject)) throw schemaError(pointer, problem);
  checkAcceptsObjects(index, index.targets.get(schema), pointer);
  for (const part of (schema["allOf"] as unknown[] | undefined) ?? [])
    checkAcceptsObjects(index, part, pointer);
}
