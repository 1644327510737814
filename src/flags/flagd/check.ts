import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { childrenOf, depthOf } from "../../base/json.ts";
import { RULE_LIMITS } from "../limits.ts";
import type { FlagRules } from "../rules/rules.ts";
import type { Fault } from "./definition.ts";
import { type Segments, inlineSegments } from "./nested-segments.ts";
import { findGaps } from "./results.ts";
import { findRuleFault, findValueFault } from "./shape.ts";

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
  return findRuleFault(whole, "/targeting", isStrict) ?? findValueFault(rules);
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
  return findRuleFault(segment, "", isStrict);
}

/** A rule with its segments in it, or the error if it grows too large. */
function inlineAll(rule: unknown, segments: Segments): unknown {
  try {
    const whole = inlineSegments(segments, rule);
    const { values, operations } = sizeOf(whole);
    if (values > RULE_LIMITS.nodes) return new RangeError(`a rule has at most ${RULE_LIMITS.nodes} values`);
    if (operations <= RULE_LIMITS.operations) return whole;
    return new RangeError(`a rule has at most ${RULE_LIMITS.operations} operations`);
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

function sizeOf(rule: unknown, size = { values: 0, operations: 0 }): typeof size {
  size.values += 1;
  if (typeof rule !== "object" || rule === null) return size;
  if (!Array.isArray(rule)) size.operations += 1;
  for (const each of childrenOf(rule)) sizeOf(each, size);
  return size;
}

function findExcess(parts: Record<string, unknown>): Fault | undefined {
  for (const [part, value] of Object.entries(parts))
    if (depthOf(value, RULE_LIMITS.depth) > RULE_LIMITS.depth)
      return { path: `/${part}`, message: `it has at most ${RULE_LIMITS.depth} levels` };
  if (Buffer.byteLength(JSON.stringify(parts)) > RULE_LIMITS.bytes)
    return { path: "", message: `a definition has at most ${formatBytes(RULE_LIMITS.bytes)} of JSON` };
  return undefined;
}

function faultError({ path, message }: Fault): AppError {
  return new AppError("invalid", path === "" ? message : `${path}: ${message}`, {
    hint: "https://flagd.dev/reference/flag-definitions/ shows what a definition looks like",
  });
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
