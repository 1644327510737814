import { isoTime } from "../../base/clock.ts";
import { type Turns, createTurns } from "../../base/event-loop.ts";
import { PAYLOAD_SUFFIX, MAX_DESCRIPTION } from "../limits.ts";
import type { FlagRecord, FlagValues } from "../flag.ts";
import { type FlagRules, parseRules, rulesText } from "../rules/rules.ts";
import { type Inlining, createInlining } from "../requires/inlined.ts";
import { type SegmentRecord, referencesOf } from "../segment.ts";
import { type Segments, inlineSegments } from "./nested-segments.ts";

/** A flag in one environment as a whole; `description` is left out if none is given. */
export type FlagDefinition = Pick<FlagRecord, "slug" | "enabled" | "payload" | "expiresAt" | "rules"> & {
  description?: string;
  /** Left out for none. */
  requires?: string;
};

/** The changes of an import in one environment; everything that it does not name stays. */
export type ImportPlan = {
  flags: FlagDefinition[];
  /** In the order of the file, which becomes their order in the environment. `rule` is JSON text. */
  segments: { name: string; rule: string }[];
  /** Metadata of the flag set, as JSON text of an object; null if the file has none. */
  metadata: string | null;
};

/** A flag in a flagd file: https://flagd.dev/reference/flag-definitions/. An export has the description as metadata. */
export type FlagdFlag = { state: "ENABLED" | "DISABLED"; description?: string } & FlagRules;

/** A flagd file. */
export type FlagdDocument = {
  $schema?: string;
  flags: Record<string, FlagdFlag>;
  $evaluators?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
};

const SCHEMA = "https://flagd.dev/schema/v0/flags.json";

/**
 * The flags of an environment with their segments as a flagd file, by slug, made in turns with other work. `metadata` is JSON
 * text. Of segments that forms fill, it has the members that are given. What a flag needs is in its rule, with the rules of
 * the needed flags as evaluators; `names` also names it in the metadata, so that an import finds it.
 */
export async function exportFlags(
  flags: FlagValues[],
  known: SegmentRecord[],
  metadata: string,
  members: ReadonlyMap<string, readonly string[]> = new Map(),
  names = false,
): Promise<FlagdDocument> {
  const takeTurns = createTurns();
  const inlining = createInlining(flags, known);
  const entries: [string, FlagdFlag][] = [];
  for (const record of flags.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))) {
    entries.push(...flagEntries(record, inlining, names));
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  const own = { createdAt: 0, updatedAt: 0, revision: 0 };
  const segments = [...inlining.rules().map((each) => ({ ...each, ...own })), ...known];
  return {
    $schema: SCHEMA,
    flags: Object.fromEntries(entries),
    ...(segments.length === 0
      ? {}
      : {
          $evaluators: await evaluatorsOf(
            segments.map((each) => withMembers(each, members.get(each.name))),
            takeTurns,
          ),
        }),
    ...(metadata === "{}" ? {} : { metadata: JSON.parse(metadata) as Record<string, unknown> }),
  };
}

/** A segment with its members in its rule, if a form fills it. */
function withMembers(segment: SegmentRecord, members: readonly string[] = []): SegmentRecord {
  const { source } = segment;
  return source
    ? { ...segment, rule: JSON.stringify({ in: [{ var: source.attribute }, members] }) }
    : segment;
}

/**
 * Segments in the order that flagd needs: it replaces references in one pass, so that a segment can refer only to those
 * behind it. Names such as `12` always come first in a JSON object, so references to them are replaced by their rules.
 */
async function evaluatorsOf(segments: SegmentRecord[], takeTurns: Turns): Promise<Record<string, unknown>> {
  const rules: [string, unknown][] = [];
  for (const { name, rule } of referrersFirst(segments)) {
    rules.push([name, segmentRule(JSON.parse(rule))]);
    await takeTurns();
  }
  const evaluators = Object.fromEntries(rules);
  const before = new Map<string, unknown>();
  for (const [name, rule] of Object.entries(evaluators)) {
    evaluators[name] = inlineWherePossible(before, rule);
    before.set(name, rule);
    await takeTurns();
  }
  return evaluators;
}

/** Every segment before those it refers to, else in the order given. */
function referrersFirst(segments: SegmentRecord[]): SegmentRecord[] {
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  const reversed = new Set<SegmentRecord>();
  const visited = new Set<SegmentRecord>();
  const visit = (segment: SegmentRecord | undefined) => {
    if (!segment || visited.has(segment)) return;
    visited.add(segment);
    for (const name of [...referencesOf(segment.rule)].toReversed()) visit(byName.get(name));
    reversed.add(segment);
  };
  for (const segment of segments.toReversed()) visit(segment);
  return [...reversed].toReversed();
}

/** Returns a rule that would grow too large to be evaluated unchanged. */
function inlineWherePossible(segments: Segments, rule: unknown): unknown {
  try {
    return inlineSegments(segments, rule);
  } catch (error) {
    if (error instanceof RangeError) return rule;
    throw error;
  }
}

/** Wraps a bare true or false, which flagd does not accept as an evaluator. */
function segmentRule(rule: unknown): unknown {
  return typeof rule === "boolean" ? { and: [rule] } : rule;
}

function flagEntries(
  record: FlagValues,
  { conditionOf }: Inlining,
  names: boolean,
): [key: string, flag: FlagdFlag][] {
  const { slug, payload, rules, enabled, requires } = record;
  const isAsked = enabled && requires !== "";
  const condition = isAsked && conditionOf(record);
  const own = rules === null ? plainFlag(record) : ruledFlag(record, rules);
  const flag = isAsked ? onCondition(own, condition, rules === null) : own;
  if (names && requires !== "") flag.metadata = { ...flag.metadata, [NEEDS]: requires };
  if (payload === null) return [[slug, flag]];
  const served = payloadFlag(JSON.parse(payload));
  return [
    [slug, flag],
    [slug + PAYLOAD_SUFFIX, isAsked ? onCondition(served, condition, false) : served],
  ];
}

/** The name under which the metadata of an export has what a flag needs. */
export const NEEDS = "requires";

/**
 * A flag that is as while it is off unless a condition holds: without a value, as flagd has it, or a plain one its default,
 * off.
 */
export function onCondition(flag: FlagdFlag, condition: unknown, isPlain: boolean): FlagdFlag {
  const { defaultVariant, targeting = {}, variants, state, ...rest } = flag;
  let served: unknown = defaultVariant ?? null;
  if (Object.keys(targeting).length > 0)
    // A default that only some get is a result of the rule.
    served = defaultVariant ? { if: [{ "==": [targeting, null] }, defaultVariant, targeting] } : targeting;
  return {
    state,
    variants,
    defaultVariant: isPlain ? "off" : null,
    targeting: { if: [condition, served, null] },
    ...rest,
  };
}

function ruledFlag(record: FlagValues, rules: string): FlagdFlag {
  const { metadata, ...rest } = parseRules(rules);
  const own = { ...flagMetadata(record), ...metadata };
  const isGiven = metadata !== undefined || Object.keys(own).length > 0;
  const state = record.enabled ? "ENABLED" : "DISABLED";
  return { state, ...rest, ...(isGiven ? { metadata: own } : {}) };
}

/** The definition of an imported flag; its payload is an entry of its own in the file. */
export function defineFlag(slug: string, { description, ...flag }: FlagdFlag): FlagDefinition {
  const plain = plainOf(flag);
  const described = description === undefined ? {} : { description };
  // Metadata that says something else stays, which a plain flag has no place for.
  if (plain && (description ?? plain.description) === (plain.description ?? description))
    return { slug, payload: null, rules: null, ...plain, ...described };
  const { state, variants, defaultVariant, targeting, metadata } = flag;
  const expiresAt = expiryOf(metadata);
  const { expiredAt: _, ...rest } = metadata ?? {};
  const own = expiresAt === null ? metadata : Object.keys(rest).length > 0 ? rest : undefined;
  const rules = rulesText({ variants, defaultVariant, targeting, metadata: own });
  return { slug, enabled: state === "ENABLED", payload: null, expiresAt, rules, ...described };
}

type Plain = Pick<FlagDefinition, "enabled" | "expiresAt" | "description">;

/** A plain flag in flagd's form: its state is always ENABLED, and its default variant is `on` or `off`. */
function plainFlag(plain: Plain): FlagdFlag {
  const metadata = flagMetadata(plain);
  return {
    state: "ENABLED",
    variants: { on: true, off: false },
    defaultVariant: plain.enabled ? "on" : "off",
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** The plain flag that is exported as exactly this definition; undefined if none is. */
function plainOf(flag: FlagdFlag): Plain | undefined {
  const { defaultVariant, metadata } = flag;
  const description = metadata?.["description"];
  const isText = typeof description === "string" && description.length <= MAX_DESCRIPTION;
  const plain = {
    enabled: defaultVariant === "on",
    expiresAt: expiryOf(metadata),
    ...(isText ? { description } : {}),
  };
  return Bun.deepEquals(plainFlag(plain), flag, true) ? plain : undefined;
}

function flagMetadata({ description = "", expiresAt }: Omit<Plain, "enabled">): Record<string, string> {
  return {
    ...(description === "" ? {} : { description }),
    ...(expiresAt === null ? {} : { expiredAt: isoTime(expiresAt) }),
  };
}

/** The expiry in milliseconds since 1970; null unless it is written exactly as an export writes it. */
function expiryOf(metadata: FlagRules["metadata"]): number | null {
  const text = metadata?.["expiredAt"];
  if (typeof text !== "string" || !/^\d{4}-.*Z$/.test(text)) return null;
  const time = Date.parse(text);
  return !Number.isNaN(time) && isoTime(time) === text ? time : null;
}

/** A payload as a flag of its own; null and arrays, which flagd has no type for, are wrapped in an object. */
function payloadFlag(payload: unknown): FlagdFlag {
  const isTyped = payload !== null && !Array.isArray(payload);
  return isTyped
    ? { state: "ENABLED", variants: { payload }, defaultVariant: "payload" }
    : { state: "ENABLED", variants: { wrapped: { value: payload } }, defaultVariant: "wrapped" };
}

/** The payload in a flag that is exported as exactly this definition; undefined if none is. */
export function payloadOf({ variants, ...rest }: FlagdFlag): { payload: unknown } | undefined {
  const wrapped = variants?.["wrapped"] as { value?: unknown } | undefined;
  const payload = wrapped === undefined ? variants?.["payload"] : wrapped?.value;
  if (payload === undefined) return undefined;
  return Bun.deepEquals(payloadFlag(payload), { ...rest, variants }, true) ? { payload } : undefined;
}

/** An error in a flag definition: its place, as a JSON pointer from the flag (RFC 6901), and a message. */
export type Fault = { path: string; message: string };
