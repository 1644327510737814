import { PAYLOAD_SUFFIX } from "../faults.ts";
import { isoTime } from "../../base/clock.ts";
import type { FlagRecord } from "../flag.ts";
import type { FlagDefinition } from "../import.ts";
import { MAX_DESCRIPTION } from "../limits.ts";
import { type FlagRules, parseRules, rulesText } from "../rules.ts";
import { type SegmentRecord, referencesOf } from "../segment.ts";
import { type Segments, putIn } from "./segments.ts";

/** A flag in a file of flagd: https://flagd.dev/reference/flag-definitions/ */
export type FlagdFlag = { state: "ENABLED" | "DISABLED" } & FlagRules;

/** A file of flagd. */
export type FlagdDocument = {
  $schema?: string;
  flags: Record<string, FlagdFlag>;
  $evaluators?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
};

const SCHEMA = "https://flagd.dev/schema/v0/flags.json";

/** The flags of an environment with their segments as a file of flagd, by slug. `metadata` is JSON text. */
export function exportFlags(flags: FlagRecord[], segments: SegmentRecord[], metadata: string): FlagdDocument {
  const sorted = flags.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
  return {
    $schema: SCHEMA,
    flags: Object.fromEntries(sorted.flatMap(flagEntries)),
    ...(segments.length === 0 ? {} : { $evaluators: evaluatorsOf(segments) }),
    ...(metadata === "{}" ? {} : { metadata: JSON.parse(metadata) as Record<string, unknown> }),
  };
}

/**
 * Segments in an order in which flagd puts all of them into rules: it goes through them once, so that one finds only
 * those behind it. Names such as `12` always come first in a JSON object: what refers to them holds their rule itself.
 */
function evaluatorsOf(segments: SegmentRecord[]): Record<string, unknown> {
  const evaluators = Object.fromEntries(
    referrersFirst(segments).map(({ name, rule }) => [name, segmentRule(JSON.parse(rule))]),
  );
  const before = new Map<string, unknown>();
  for (const [name, rule] of Object.entries(evaluators)) {
    evaluators[name] = putInWherePossible(before, rule);
    before.set(name, rule);
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

/** A rule that would grow too large to be evaluated stays as it is. */
function putInWherePossible(segments: Segments, rule: unknown): unknown {
  try {
    return putIn(segments, rule);
  } catch (error) {
    if (error instanceof RangeError) return rule;
    throw error;
  }
}

/** flagd takes no bare true or false here. */
function segmentRule(rule: unknown): unknown {
  return typeof rule === "boolean" ? { and: [rule] } : rule;
}

function flagEntries(record: FlagRecord): [key: string, flag: FlagdFlag][] {
  const { slug, enabled, payload, rules } = record;
  if (rules === null) {
    const flag: [string, FlagdFlag] = [slug, plainFlag(record)];
    return payload === null ? [flag] : [flag, [slug + PAYLOAD_SUFFIX, payloadFlag(JSON.parse(payload))]];
  }
  const { metadata, ...rest } = parseRules(rules);
  const own = { ...aboutFlag(record), ...metadata };
  const isGiven = metadata !== undefined || Object.keys(own).length > 0;
  const state = enabled ? "ENABLED" : "DISABLED";
  return [[slug, { state, ...rest, ...(isGiven ? { metadata: own } : {}) }]];
}

/** What an imported flag is set to; the payload of a plain one comes on its own. */
export function defineFlag(slug: string, flag: FlagdFlag): FlagDefinition {
  const plain = plainOf(flag);
  if (plain) return { slug, payload: null, rules: null, ...plain };
  const { state, variants, defaultVariant, targeting, metadata } = flag;
  const expiresAt = expiryOf(metadata);
  const { expiredAt: _, ...rest } = metadata ?? {};
  const own = expiresAt === null ? metadata : Object.keys(rest).length > 0 ? rest : undefined;
  const rules = rulesText({ variants, defaultVariant, targeting, metadata: own });
  return { slug, enabled: state === "ENABLED", payload: null, expiresAt, rules };
}

type Plain = Pick<FlagDefinition, "enabled" | "expiresAt" | "description">;

/** A plain flag as flagd has it: nothing in it is off, only its default. */
function plainFlag(plain: Plain): FlagdFlag {
  const metadata = aboutFlag(plain);
  return {
    state: "ENABLED",
    variants: { on: true, off: false },
    defaultVariant: plain.enabled ? "on" : "off",
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

/** The plain flag that has this shape. */
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

function aboutFlag({ description = "", expiresAt }: Omit<Plain, "enabled">): Record<string, string> {
  return {
    ...(description === "" ? {} : { description }),
    ...(expiresAt === null ? {} : { expiredAt: isoTime(expiresAt) }),
  };
}

/** Only a time as it is exported. */
function expiryOf(metadata: FlagRules["metadata"]): number | null {
  const text = metadata?.["expiredAt"];
  if (typeof text !== "string" || !/^\d{4}-.*Z$/.test(text)) return null;
  const time = Date.parse(text);
  return !Number.isNaN(time) && isoTime(time) === text ? time : null;
}

/** A payload as a flag of its own; what flagd has no type for is wrapped in an object. */
function payloadFlag(payload: unknown): FlagdFlag {
  const isTyped = payload !== null && !Array.isArray(payload);
  return isTyped
    ? { state: "ENABLED", variants: { payload }, defaultVariant: "payload" }
    : { state: "ENABLED", variants: { wrapped: { value: payload } }, defaultVariant: "wrapped" };
}

/** The payload in a flag of that shape, or undefined. */
export function payloadOf({ variants, ...rest }: FlagdFlag): { payload: unknown } | undefined {
  const wrapped = variants?.["wrapped"] as { value?: unknown } | undefined;
  const payload = wrapped === undefined ? variants?.["payload"] : wrapped?.value;
  if (payload === undefined) return undefined;
  return Bun.deepEquals(payloadFlag(payload), { ...rest, variants }, true) ? { payload } : undefined;
}
