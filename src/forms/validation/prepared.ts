import { isObject } from "../../base/json.ts";
import { spend, stepsOfText, type Budget } from "./budget.ts";
import type { Format } from "./formats.ts";
import type { SchemaObject } from "./keywords.ts";
import type { Pattern } from "./patterns.ts";
import type { SchemaIndex } from "./references.ts";

/** A schema in the form that the library evaluates. */
export type Prepared = {
  [keyword: string]: unknown;
  /** Steps of one evaluation. */
  cost: number;
  /** The number of its check of texts. */
  check?: number;
  /** A schema that was `false`. */
  refuses?: true;
};

/** Text checks of one schema that the library lacks or does not run in linear time. */
type TextCheck = {
  /** The name of its format; empty if it has none. */
  format: string;
  test: (text: string) => boolean;
  /** The keywords that a text fails, of `format` and `pattern`. */
  failing(text: string): ("format" | "pattern")[];
};

/** A schema with `patternProperties`. */
type PatternSite = {
  prepared: Prepared;
  properties: Record<string, Prepared>;
  patterns: { pattern: Pattern; schema: Prepared }[];
};

/** A schema for the library, and what it needs for one evaluation. */
export type PreparedSchema = {
  root: Prepared;
  /** The targets of `$ref`. */
  lookup: Record<string, Prepared>;
  /** By number, which {@link checkName} turns into a format. */
  checks: TextCheck[];
  sites: PatternSite[];
  budget: Budget;
  /** Whether the texts of an evaluation are those of a page. */
  sent: { isTyped: boolean };
};

type TextKeywords = { pattern?: string; format?: string; minLength?: number; maxLength?: number };

/** Keywords that the library evaluates as they are. The others are left out, so that they have no effect by accident. */
const COPIED = [
  ["type", "const", "enum", "required", "dependentRequired"],
  ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ["minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"],
].flat();
const SINGLE = [
  ["items", "contains", "unevaluatedItems", "additionalProperties", "unevaluatedProperties", "propertyNames"],
  ["not", "if", "then", "else"],
].flat();
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "dependentSchemas"];

/** The format under which the library finds a text check. */
export function checkName(number: number): string {
  return `formflag check ${number}`;
}

/** Builds what the library evaluates: a copy, because the library compiles patterns itself and finds no end by itself. */
export function prepareSchema(
  index: SchemaIndex,
  patterns: ReadonlyMap<string, Pattern>,
  formats: ReadonlyMap<string, Format>,
): PreparedSchema {
  const built = new Map<SchemaObject, Prepared>();
  const references = new Map<unknown, string>();
  const result: PreparedSchema = {
    root: { cost: 1 },
    lookup: Object.create(null) as Record<string, Prepared>,
    checks: [],
    sites: [],
    budget: { left: 0 },
    sent: { isTyped: false },
  };

  const build = (schema: unknown): Prepared => {
    if (!isObject(schema)) return booleanSchema(schema === true, result.budget);
    const known = built.get(schema);
    if (known !== undefined) return known;
    const prepared = countedSchema(result.budget);
    built.set(schema, prepared);
    for (const keyword of COPIED) if (Object.hasOwn(schema, keyword)) prepared[keyword] = schema[keyword];
    for (const keyword of SINGLE)
      if (Object.hasOwn(schema, keyword)) prepared[keyword] = build(schema[keyword]);
    for (const keyword of LISTS) {
      if (Object.hasOwn(schema, keyword)) prepared[keyword] = (schema[keyword] as unknown[]).map(build);
    }
    for (const keyword of MAPS) {
      if (Object.hasOwn(schema, keyword)) prepared[keyword] = buildMap(schema[keyword] as SchemaObject);
    }
    const target = index.targets.get(schema);
    if (target !== undefined) prepared["$ref"] = referenceTo(target);
    addTextCheck(schema, prepared);
    addPatternSite(schema, prepared);
    prepared.cost = costOf(prepared);
    return prepared;
  };

  const buildMap = (map: SchemaObject): Record<string, Prepared> => {
    const prepared = Object.create(null) as Record<string, Prepared>;
    for (const [name, schema] of Object.entries(map)) prepared[name] = build(schema);
    return prepared;
  };

  const referenceTo = (target: unknown): string => {
    const known = references.get(target);
    if (known !== undefined) return known;
    const name = `reference ${references.size}`;
    references.set(target, name);
    result.lookup[name] = build(target);
    return name;
  };

  const addTextCheck = (schema: SchemaObject, prepared: Prepared): void => {
    const check = createTextCheck(schema, patterns, formats, result.sent, result.budget);
    if (check === undefined) return;
    prepared.check = result.checks.length;
    prepared["format"] = checkName(prepared.check);
    result.checks.push(check);
  };

  const addPatternSite = (schema: SchemaObject, prepared: Prepared): void => {
    if (!Object.hasOwn(schema, "patternProperties")) return;
    const site: PatternSite = {
      prepared,
      properties: (prepared["properties"] ?? {}) as Record<string, Prepared>,
      patterns: [],
    };
    for (const [source, child] of Object.entries(schema["patternProperties"] as SchemaObject)) {
      const pattern = patterns.get(source);
      if (pattern !== undefined) site.patterns.push({ pattern, schema: build(child) });
    }
    result.sites.push(site);
  };

  result.root = build(index.root);
  return result;
}

/** Undefined for a schema without keywords for texts. Its length is no part of the check, but what reading it takes is. */
function createTextCheck(
  { pattern: source, format: name, minLength, maxLength: longest = Infinity }: TextKeywords,
  patterns: ReadonlyMap<string, Pattern>,
  formats: ReadonlyMap<string, Format>,
  sent: { isTyped: boolean },
  budget: Budget,
): TextCheck | undefined {
  const pattern = source === undefined ? undefined : patterns.get(source);
  const found = name === undefined ? undefined : formats.get(name);
  const format = found && ((text: string) => (sent.isTyped ? found.typed(text) : found.test(text)));
  if (!pattern && !format && minLength === undefined && longest === Infinity) return undefined;
  return {
    format: name ?? "",
    test(text) {
      // A character is one or two UTF-16 units: such a text fails "maxLength", whatever else it fails.
      if (text.length > longest * 2) return true;
      spend(budget, stepsOfText(text, 1 + (pattern?.size ?? 0)));
      return (format?.(text) ?? true) && (pattern?.test(text) ?? true);
    },
    failing(text) {
      const failed: ("format" | "pattern")[] = [];
      if (format?.(text) === false) failed.push("format");
      if (pattern?.test(text) === false) failed.push("pattern");
      return failed;
    },
  };
}

/**
 * Writes `patternProperties` as `properties`, for the names in the data that match: the library would run the patterns in
 * an engine that backtracks. The written form holds until the next call.
 */
export function expandPatterns({ sites, budget }: PreparedSchema, names: ReadonlySet<string>): void {
  for (const { prepared, properties, patterns } of sites) {
    const expanded = Object.assign(Object.create(null) as Record<string, Prepared>, properties);
    for (const name of names) {
      for (const { pattern, schema } of patterns) {
        spend(budget, 1 + stepsOfText(name, pattern.size));
        if (!pattern.test(name)) continue;
        const earlier = expanded[name];
        if (earlier === undefined) expanded[name] = schema;
        else expanded[name] = Object.assign(countedSchema(budget), { allOf: [earlier, schema] });
      }
    }
    prepared["properties"] = expanded;
    prepared.cost = costOf(prepared);
  }
}

/** The library reads each keyword once for each evaluation; one that 2020-12 does not have counts them. */
function countedSchema(budget: Budget): Prepared {
  return {
    cost: 1,
    get $recursiveRef() {
      spend(budget, this.cost);
      return undefined;
    },
  };
}

/** The library names no keyword for `false`, and evaluates both without reading anything. */
function booleanSchema(accepts: boolean, budget: Budget): Prepared {
  const prepared = countedSchema(budget);
  return accepts ? prepared : Object.assign(prepared, { not: countedSchema(budget), refuses: true });
}

function costOf(prepared: Prepared): number {
  let cost = 1;
  for (const keyword of [...COPIED, ...MAPS]) {
    const value = prepared[keyword];
    if (Array.isArray(value)) cost += value.length;
    else if (isObject(value)) cost += Object.keys(value).length;
    else if (value !== undefined) cost += 1;
  }
  return cost;
}
