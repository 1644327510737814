import { MemoryStorage } from "@openfeature/flagd-core";
import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { childrenOf, depthOf, isObject } from "../../base/json.ts";
import { RULE_LIMITS } from "../limits.ts";
import type { FlagRules } from "../rules/rules.ts";
import type { Fault } from "./definition.ts";
import { SILENT } from "./fractional.ts";
import { type Segments, inlineSegments, replaceReferences } from "./nested-segments.ts";
import { asKnownToFlagd, findOperatorFault, pathInRule } from "./operators.ts";
import { findGaps } from "./results.ts";

/** A placeholder for a segment that does not exist yet. */
const SOME_RULE = { "==": [1, 1] };

/**
 * Returns the first fault in the rules of a flag, or undefined: by flagd's published JSON schema, by the arguments of
 * operators that flagd lacks, and by the limits of evaluation. A reference to a missing segment is not a fault. Without
 * `isStrict`, neither are arguments that flagd's own operations reject: flagd warns about them and evaluates the
 * operation to null.
 */
export function findFault(rules: FlagRules, segments: Segments, isStrict = false): Fault | undefined {
  const { targeting = {} } = rules;
  const excess = findExcess(rules);
  if (excess) return excess;
  const types = new Set(Object.values(rules.variants).map(typeOf));
  if (types.size > 1)
    return {
      path: "/variants",
      message: `all variants are of one type, here are ${[...types].join(" and ")}`,
    };
  const whole = inlineAll(targeting, segments);
  if (whole instanceof RangeError) return { path: "/targeting", message: whole.message };
  const foreign = findOperatorFault(whole, "/targeting");
  if (foreign) return foreign;
  const known = asKnownToFlagd(whole);
  const root = "/flags/flag";
  const check = (targeting: unknown) => {
    const flag = { state: "ENABLED", ...rules, ...(rules.targeting ? { targeting } : {}) };
    if (isSound(flag)) return undefined;
    const fault = findSchemaFault({ flags: { flag } });
    return fault && { ...fault, path: fault.path.slice(root.length) };
  };
  const fault = check(known);
  if (!fault || (!isStrict && isSoundBesides(known, (rule) => !check(rule)))) return undefined;
  return { ...fault, path: pathInRule(fault.path, { "": { targeting: whole } }) };
}

/** flagd's own operations. */
const OWN_OPERATIONS = new Set(["fractional", "sem_ver", "starts_with", "ends_with"]);

/**
 * Whether nothing but arguments of flagd's own operations is at fault in a rule: the rule `isSound` with a placeholder for each
 * of them, and so are the rules among their arguments. Each part of the rule is checked once, however deep the operations are
 * in one another.
 */
function isSoundBesides(rule: unknown, isSound: (rule: unknown) => boolean): boolean {
  const args: unknown[] = [];
  const whole = withoutOwnOperations(rule, args);
  if (!isSound(whole)) return false;
  const $evaluators = Object.fromEntries(args.map((each, index) => [`argument${index}`, each]));
  return args.length === 0 || !findSchemaFault({ flags: {}, $evaluators });
}

/** A rule with a placeholder for each of flagd's own operations. Their arguments that are rules, as changed, are added to `rules`. */
function withoutOwnOperations(rule: unknown, rules: unknown[]): unknown {
  if (typeof rule !== "object" || rule === null) return rule;
  if (Array.isArray(rule)) return rule.map((each) => withoutOwnOperations(each, rules));
  const entries = Object.entries(rule).map(
    ([key, each]) => [key, withoutOwnOperations(each, rules)] as const,
  );
  const [[name, args] = []] = entries;
  if (entries.length !== 1 || !OWN_OPERATIONS.has(name!) || !Array.isArray(args))
    return Object.fromEntries(entries);
  rules.push(...args.flat(Infinity).filter((each) => isObject(each)));
  return SOME_RULE;
}

/** Faults of a rule in a file: one that keeps it from being stored, else reasons why it may fail when it is evaluated. */
export type Findings = { fault?: Fault; warnings: Fault[] };

/** Findings about a rule in a file, which may have what a change of one flag may not: flagd accepts it. */
export function inspectRules(rules: FlagRules, segments: Segments): Findings {
  const findings = inspect(findFault(rules, segments, true), () => findFault(rules, segments));
  if (findings.fault) return findings;
  return { warnings: [...findings.warnings, ...findGaps(rules, segments)] };
}

/** The same for the rule of a segment alone. */
export function inspectSegment(rule: unknown): Findings {
  return inspect(findSegmentFault(rule, true), () => findSegmentFault(rule));
}

function inspect(strict: Fault | undefined, find: () => Fault | undefined): Findings {
  if (!strict) return { warnings: [] };
  const fault = find();
  const { path, message } = strict;
  return fault
    ? { fault, warnings: [] }
    : { warnings: [{ path, message: `flagd does not evaluate this argument: it ${message}` }] };
}

/** Throws `invalid` for rules with a fault. */
export function checkRules(rules: FlagRules, segments: Segments, isStrict: boolean): void {
  const fault = findFault(rules, segments, isStrict);
  if (fault) throw faultError(fault);
}

/** Throws `invalid` for a rule that cannot be a segment. */
export function checkSegment(rule: unknown): void {
  const fault = findSegmentFault(rule, true);
  if (fault) throw faultError(fault);
}

/** The first fault that keeps a rule from being a segment; undefined without one. `isStrict` as for `findFault`. */
export function findSegmentFault(rule: unknown, isStrict = false): Fault | undefined {
  if (typeof rule === "boolean") return undefined;
  const excess = findExcess({ rule });
  if (excess) return { ...excess, path: "" };
  const segment = inlineAll(rule, new Map());
  if (segment instanceof RangeError) return { path: "", message: segment.message };
  const foreign = findOperatorFault(segment, "");
  if (foreign) return foreign;
  const known = asKnownToFlagd(segment);
  const root = "/$evaluators/segment";
  const check = (segment: unknown) => findSchemaFault({ flags: {}, $evaluators: { segment } });
  const fault = check(known);
  if (!fault || (!isStrict && isSoundBesides(known, (rule) => !check(rule)))) return undefined;
  return { ...fault, path: pathInRule(fault.path.slice(root.length), { "": segment }) };
}

/** A rule with every reference replaced, or the error if it grows too large. */
function inlineAll(rule: unknown, segments: Segments): unknown {
  try {
    const whole = replaceReferences(inlineSegments(segments, rule), SOME_RULE);
    const { operations } = RULE_LIMITS;
    return countObjects(whole) > operations
      ? new RangeError(`a rule has at most ${operations} operations`)
      : whole;
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

function countObjects(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : 1;
  for (const child of childrenOf(value)) count += countObjects(child);
  return count;
}

function findExcess(parts: Record<string, unknown>): Fault | undefined {
  for (const [part, value] of Object.entries(parts))
    if (depthOf(value, RULE_LIMITS.depth) > RULE_LIMITS.depth)
      return { path: `/${part}`, message: `it has at most ${RULE_LIMITS.depth} levels` };
  if (Buffer.byteLength(JSON.stringify(parts)) > RULE_LIMITS.bytes)
    return { path: "", message: `a definition has at most ${formatBytes(RULE_LIMITS.bytes)} of JSON` };
  return undefined;
}

/** The fault in the metadata of a flag set; undefined without one. */
export function findMetadataFault(metadata: unknown): Fault | undefined {
  return findSchemaFault({ metadata, flags: {} });
}

function faultError({ path, message }: Fault): AppError {
  return new AppError("invalid", path === "" ? message : `${path}: ${message}`, {
    hint: "https://flagd.dev/reference/flag-definitions/ shows what a definition looks like",
  });
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

type SchemaError = {
  instancePath: string;
  message: string;
  keyword: string;
  params: Record<string, unknown>;
};

/**
 * Whether a flag has no fault, for a third of what its fault costs: the library hashes and compiles the rule of a flag, but not
 * that of a segment, which the schema describes in the same way.
 */
function isSound({ targeting, ...flag }: Record<string, unknown>): boolean {
  if (!isObject(targeting) || Object.keys(targeting).length === 0) return false;
  return findSchemaFault({ flags: { flag }, $evaluators: { targeting } }) === undefined;
}

/** The fault of a document by the schema that the library ships; undefined without one. */
function findSchemaFault(document: object): Fault | undefined {
  try {
    new MemoryStorage(SILENT).setConfigurations(JSON.stringify(document), true);
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const start = text.indexOf("[");
    if (start === -1) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : text;
      return { path: "", message: cause };
    }
    // If all alternatives of the schema fail, the deepest error belongs to the one that was most likely meant.
    const errors = JSON.parse(text.slice(start)) as SchemaError[];
    const [deepest] = errors.toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    const { instancePath, message, params } = deepest!;
    const extra = params["additionalProperty"];
    return {
      path: instancePath,
      message: typeof extra === "string" ? `"${extra}" is not known here` : message,
    };
  }
}
