import type { OutputUnit } from "@cfworker/json-schema";
import { isObject } from "../../base/json.ts";
import type { Limit } from "./messages.ts";
import type { Prepared, PreparedSchema } from "./prepared.ts";

/** The steps from the data to a value: names of fields, and numbers of items. */
export type Path = (string | number)[];

/** Error of one value: the keyword that it fails, and the keyword's limit. */
export type Finding = { path: Path; code: string; limit: Limit };

type Context = {
  schema: PreparedSchema;
  data: unknown;
  max: number;
};

/** Place of a failed keyword: the schema that holds it, the keyword that leads there, and the value. */
type Place = { schema: Prepared; keyword: string; last: string; path: Path; value: unknown };

const BRANCHES = new Set(["anyOf", "oneOf"]);

/** Keywords whose errors only repeat that a schema inside them failed. */
const PARENTS = new Set(
  [
    ["$ref", "allOf", "if", "dependentSchemas", "items", "prefixItems", "unevaluatedItems"],
    ["properties", "additionalProperties", "unevaluatedProperties", "propertyNames"],
  ].flat(),
);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const MAPS = new Set(["properties", "dependentSchemas"]);
/** Keywords whose `false` means that the value should not be there at all. */
const EXCLUDING = new Set(["additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems"]);

/**
 * Reduces the errors of the library to at most `max` findings, each once, without those of parents. Of the branches of
 * `anyOf` and `oneOf` it names what is wrong in the clearly meant one, else what they have in common.
 */
export function findingsOf(context: Context, errors: readonly OutputUnit[]): Finding[] {
  const findings = new Map<string, Finding>();
  for (let at = 0; at < errors.length && findings.size < context.max; at += 1) {
    const error = errors[at];
    if (error === undefined || PARENTS.has(error.keyword)) continue;
    const { schema, trail } = locate(context.schema, error.keywordLocation);
    // For `contains`, errors of the items that do not match are not useful.
    if (trail.includes("contains")) continue;
    const place: Place = {
      schema,
      keyword: error.keyword,
      last: trail.at(-1) ?? "",
      ...resolve(context.data, error.instanceLocation),
    };
    const inside = errorsInside(errors, at);
    at += inside.length;
    let found: Finding[];
    if (trail.includes("propertyNames")) found = [{ path: place.path, code: "propertyNames", limit: [] }];
    else if (BRANCHES.has(error.keyword)) found = branchFindings(context, place, error, inside);
    else found = leafFindings(context, place);
    for (const finding of found) {
      if (findings.size < context.max) findings.set(keyOf(finding), finding);
    }
  }
  return [...findings.values()];
}

/** The errors of the branches, which follow that of the keyword. Other keywords that reach here have none. */
function errorsInside(errors: readonly OutputUnit[], at: number): OutputUnit[] {
  const prefix = `${errors[at]?.keywordLocation}/`;
  let end = at + 1;
  while (errors[end]?.keywordLocation.startsWith(prefix) === true) end += 1;
  return errors.slice(at + 1, end);
}

function leafFindings(context: Context, { schema, keyword, last, path, value }: Place): Finding[] {
  switch (keyword) {
    case "required":
      return missing(path, value, schema["required"], "required");
    case "dependentRequired":
      return Object.entries(schema["dependentRequired"] as object)
        .filter(([name]) => isObject(value) && Object.hasOwn(value, name))
        .flatMap(([, names]) => missing(path, value, names, "dependentRequired"));
    case "format":
      return textFindings(context.schema, schema, path, value);
    case "not":
      return [{ path, code: schema.refuses === true && EXCLUDING.has(last) ? last : "not", limit: [] }];
    default: {
      const limit = schema[keyword];
      // The list in "enum" holds its values; a list in "const" is the value.
      return [{ path, code: keyword, limit: limitOf(keyword === "const" ? [limit] : limit) }];
    }
  }
}

function missing(path: Path, value: unknown, names: unknown, code: string): Finding[] {
  if (!isObject(value)) return [];
  const absent = (names as string[]).filter((name) => !Object.hasOwn(value, name));
  return absent.map((name) => ({ path: [...path, name], code, limit: [] }));
}

/** The library knows the format and the pattern of a schema as one check. */
function textFindings({ checks }: PreparedSchema, schema: Prepared, path: Path, value: unknown): Finding[] {
  const check = checks[schema.check ?? -1];
  if (check === undefined || typeof value !== "string") return [];
  return check.failing(value).map((code) => ({ path, code, limit: code === "format" ? [check.format] : [] }));
}

function limitOf(limit: unknown): Limit {
  if (limit === undefined) return [];
  return Array.isArray(limit) ? limit.map(shown) : [shown(limit)];
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function branchFindings(
  context: Context,
  { schema, keyword, path }: Place,
  error: OutputUnit,
  inside: readonly OutputUnit[],
): Finding[] {
  const generic: Finding = { path, code: keyword, limit: [] };
  const byBranch = Map.groupBy(inside, ({ keywordLocation }) =>
    keywordLocation
      .slice(error.keywordLocation.length + 1)
      .split("/", 1)
      .join(),
  );
  // With fewer failures than branches, `oneOf` has failed because several match.
  if (byBranch.size < (schema[keyword] as unknown[]).length) return [generic];
  const branches = [...byBranch.values()].map((errors) => findingsOf(context, errors));
  const meant = branches.filter((findings) => !findings.some((finding) => isMismatch(finding, path)));
  if (meant.length === 1) return meant[0] ?? [generic];
  return merged(branches) ?? common(branches) ?? [alternativeNames(branches, path, generic)];
}

/** Whether a value is clearly not meant for a branch: another type, or another value of the member that distinguishes the branches. */
function isMismatch({ path, code }: Finding, base: Path): boolean {
  const isValue = code === "const" || code === "enum";
  return path.length === base.length
    ? isValue || code === "type"
    : isValue && path.length === base.length + 1;
}

/** One finding for branches that each ask for other values, or other types, of the same field. */
function merged(branches: readonly Finding[][]): Finding[] | undefined {
  const [first = []] = branches;
  for (const kinds of [["const", "enum"], ["type"]]) {
    for (const { path, code } of first) {
      if (!kinds.includes(code)) continue;
      const same = branches.map((findings) =>
        findings.find((other) => kinds.includes(other.code) && isSamePath(other.path, path)),
      );
      if (same.some((finding) => finding === undefined)) continue;
      const limits = same.flatMap((finding) => finding?.limit ?? []);
      return [{ path, code: code === "type" ? "type" : "enum", limit: [...new Set(limits)] }];
    }
  }
  return undefined;
}

function common(branches: readonly Finding[][]): Finding[] | undefined {
  const [first = [], ...others] = branches.map(
    (findings) => new Map(findings.map((one) => [keyOf(one), one])),
  );
  const shared = [...first].filter(([key]) => others.every((other) => other.has(key)));
  return shared.length === 0 ? undefined : shared.map(([, finding]) => finding);
}

/** "email or phone is required", if that is all that each branch asks for. */
function alternativeNames(branches: readonly Finding[][], path: Path, generic: Finding): Finding {
  const names = branches.map(([finding, ...more]) => {
    const isName = finding?.code === "required" && finding.path.length === path.length + 1;
    return more.length === 0 && isName ? String(finding.path.at(-1)) : undefined;
  });
  return names.includes(undefined)
    ? generic
    : { ...generic, limit: names.filter((name) => name !== undefined) };
}

function keyOf({ path, code, limit }: Finding): string {
  return JSON.stringify([path, code, limit]);
}

function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, at) => step === b[at]);
}

/** The schema that holds a keyword, and the keywords on the way to it. */
function locate({ root, lookup }: PreparedSchema, location: string): { schema: Prepared; trail: string[] } {
  const steps = location.split("/").slice(1, -1).map(decodeStep);
  const trail: string[] = [];
  let schema: unknown = root;
  for (let at = 0; at < steps.length; at += 1) {
    const keyword = steps[at] ?? "";
    trail.push(keyword);
    const value = (schema as Prepared)[keyword];
    if (keyword === "$ref") schema = lookup[value as string];
    else if (LISTS.has(keyword) || MAPS.has(keyword)) {
      at += 1;
      schema = (value as Record<string, unknown>)[steps[at] ?? ""];
    } else schema = value;
  }
  return { schema: schema as Prepared, trail };
}

function resolve(data: unknown, location: string): { path: Path; value: unknown } {
  const path: Path = [];
  let value = data;
  for (const step of location.split("/").slice(1).map(decodeStep)) {
    path.push(Array.isArray(value) ? Number(step) : step);
    value = (value as Record<string, unknown>)[step];
  }
  return { path, value };
}

/** Undoes how the library writes a name in a JSON pointer in a URI fragment (RFC 6901, 6). */
function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}
