import { own } from "../../base/shapes/own.ts";
import type { OutputUnit } from "@cfworker/json-schema";
import { AppError, type FieldError } from "../../base/errors.ts";
import { childrenOf, depthOf, isObject, isStructure } from "../../base/json.ts";
import { fieldLabel, isPlainName } from "../intake/fields.ts";
import { MAX_STEPS, spendOnLists } from "./budget.ts";
import { findingsOf, type Finding, type Path } from "./findings.ts";
import { createFormats } from "./formats.ts";
import { ENGLISH, type Messages } from "./messages.ts";
import { compilePatterns } from "./patterns.ts";
import { checkName, expandPatterns, prepareSchema, type PreparedSchema } from "./prepared.ts";
import { indexSchema, type SchemaIndex } from "./references.ts";
import { createTextReader, type SentFile, type TextReader } from "./text.ts";

/** A schema that is ready to check submissions. */
export type Validation = {
  schema: PreparedSchema;
  readText: TextReader;
  /** Names that the schema itself holds, which a message may repeat, with their order in it. */
  names: ReadonlyMap<string, number>;
  hasUniqueItems: boolean;
  evaluate: (data: unknown) => OutputUnit[];
};

/** The largest schema, in bytes of its JSON. */
export const MAX_SCHEMA_SIZE = 64 * 1024;
const MAX_SCHEMA_LEVELS = 100;

/** Errors in one answer. */
export const MAX_FIELD_ERRORS = 100;

/**
 * Reads a JSON Schema of draft 2020-12, as parsed JSON, which stays as it is. Throws `invalid`, with the place and what
 * to do, for a schema that is not an object, larger than {@link MAX_SCHEMA_SIZE}, nested deeper than 100 levels,
 * malformed, unsupported or that no submission can match.
 */
export async function compileSchema(schema: unknown): Promise<Validation> {
  const index = indexSchema(plainCopy(schema));
  const patterns = await compilePatterns(index);
  const library = await import("@cfworker/json-schema");
  const prepared = prepareSchema(index, patterns, createFormats(library.format));
  return {
    schema: prepared,
    readText: createTextReader(index, patterns),
    names: namesOf(index),
    hasUniqueItems: [...index.pointers.keys()].some((part) => part["uniqueItems"] === true),
    evaluate(data) {
      // The library finds formats by name in one table; these are the ones of the schema being evaluated.
      for (const [number, check] of prepared.checks.entries()) library.format[checkName(number)] = check.test;
      return library.validate(data, prepared.root, "2020-12", prepared.lookup, false).errors;
    },
  };
}

/**
 * Throws `invalid` for a schema with half of a surrogate pair in a text. A stored schema may have one, so that this is no part of
 * {@link compileSchema}.
 */
export function checkUnicode(schema: unknown): void {
  if (typeof schema === "string" && !schema.isWellFormed())
    throw new AppError("invalid", "the schema has a text that is not valid Unicode");
  if (isStructure(schema)) childrenOf(schema).forEach(checkUnicode);
}

/**
 * Returns the errors of a submission: at most {@link MAX_FIELD_ERRORS}, none if it matches; the field of each is
 * `email`, `address.city`, `tags[0]`, or empty for the submission as a whole, the code is a keyword of JSON Schema, and the
 * message has no value that was sent. `data` has passed
 * `checkDepth` and `checkData`. With the source "text", fields and names of files are read as the types of the schema.
 * Throws `too_large` if checking would take longer than about a tenth of a second.
 */
export function validate(
  validation: Validation,
  data: Record<string, unknown>,
  source: "json" | "text",
  files: readonly SentFile[] = [],
): FieldError[] {
  const { schema, readText, names, evaluate } = validation;
  const keys = schema.sites.length > 0 ? new Set<string>() : undefined;
  const sent = source === "text" ? readText(data, files) : data;
  const copy = safeCopy(sent, keys);
  schema.budget.left = MAX_STEPS;
  schema.sent.isTyped = source === "text";
  if (validation.hasUniqueItems) spendOnLists(schema.budget, copy);
  if (keys !== undefined) expandPatterns(schema, keys);
  const errors = evaluate(copy);
  if (errors.length === 0) return [];
  const findings = findingsOf({ schema, data: copy, max: MAX_FIELD_ERRORS }, errors);
  if (findings.length === 0)
    throw new Error(`the library reports no error of a leaf: ${errors[0]?.keywordLocation}`);
  const orderOf = ({ path: [name] }: Finding) =>
    typeof name === "string" ? (names.get(name) ?? Infinity) : -1;
  // The library lists all that is missing first.
  findings.sort((a, b) => compare(orderOf(a), orderOf(b)));
  return findings.map(({ path, code, limit }) => {
    const field = fieldOf(path);
    const isKnown = path.every((step) => typeof step === "number" || names.has(step));
    const label = isKnown || isPlainName(field) ? field : "";
    const name = isKnown ? field : fieldLabel(field);
    const message = messageOf(code)(path.length === 0 ? "the submission" : name, limit);
    return { field, code, message, label, limit };
  });
}

function messageOf(code: string): Messages[string] {
  const message = own(ENGLISH, code);
  if (message === undefined) throw new Error(`no message for the keyword ${code}`);
  return message;
}

function plainCopy(schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) throw new AppError("invalid", "a schema is a JSON object");
  if (depthOf(schema, MAX_SCHEMA_LEVELS) > MAX_SCHEMA_LEVELS) {
    throw new AppError(
      "invalid",
      `the schema is nested deeper than the limit of ${MAX_SCHEMA_LEVELS} levels`,
    );
  }
  const json = JSON.stringify(schema);
  const size = Buffer.byteLength(json);
  if (size > MAX_SCHEMA_SIZE) {
    throw new AppError(
      "invalid",
      `the schema has ${size} bytes as JSON; the limit is ${MAX_SCHEMA_SIZE} bytes (64 KB)`,
    );
  }
  return JSON.parse(json) as Record<string, unknown>;
}

/** A copy without prototypes, whose names the library can write into URIs. Collects the names in `keys`. */
function safeCopy<Value>(value: Value, keys: Set<string> | undefined): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => safeCopy(item, keys)) as Value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, child] of Object.entries(value)) {
    const wellFormed = name.toWellFormed();
    keys?.add(wellFormed);
    copy[wellFormed] = safeCopy(child, keys);
  }
  return copy as Value;
}

function namesOf(index: SchemaIndex): Map<string, number> {
  const names = new Set<string>();
  const add = (list: unknown) => (list as string[] | undefined)?.forEach((name) => names.add(name));
  for (const { properties = {}, required, dependentRequired = {} } of index.pointers.keys()) {
    add(Object.keys(properties as object));
    add(required);
    for (const list of Object.values(dependentRequired as object)) add(list);
  }
  return new Map([...names].map((name, position) => [name, position]));
}

/** Unlike a difference, also for two infinities. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function fieldOf(path: Path): string {
  return path.reduce<string>((field, step) => {
    if (typeof step === "number") return `${field}[${step}]`;
    const name = step.length > 200 ? `${step.slice(0, 200)}…` : step;
    return field === "" ? name : `${field}.${name}`;
  }, "");
}
