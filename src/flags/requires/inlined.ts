import type { FlagValues } from "../flag.ts";
import { RULE_LIMITS } from "../limits.ts";
import { type Segments, inlineSegments } from "../flagd/nested-segments.ts";
import { type FlagRules, parseRules } from "../rules/rules.ts";
import { servedVariants } from "../rules/served.ts";
import { type SegmentRecord, rulesBySegment } from "../segment.ts";
import { acceptedOf } from "./places.ts";
import { type Requirement, requirementsOf } from "./requirement.ts";

/** The beginning of the name of an evaluator that is the rule of a flag; no segment has such a name. */
export const RULE_OF = "flag:";

/** Conditions by a name of each, all of which have to hold; null where they never do. */
type Conditions = ReadonlyMap<string, unknown> | null;

/** Conditions of flags, for rules that are evaluated each by itself. */
export type Inlining = {
  /** A condition in JSON logic, or a constant. Throws `RangeError` for what no rule can say. */
  conditionOf: (record: FlagValues) => unknown;
  /** The rules that the conditions so far refer to, as JSON text by name. */
  rules: () => { name: string; rule: string }[];
};

const ALWAYS: Conditions = new Map();

/** Finds the conditions of each flag once, by its slug. A circle, which a change that will be refused may close, never holds. */
function findingOnce(): (slug: string, find: () => Conditions) => Conditions {
  const known = new Map<string, Conditions>();
  const open = new Set<string>();
  return (slug, find) => {
    const before = known.get(slug);
    if (before !== undefined) return before;
    if (open.has(slug)) return null;
    open.add(slug);
    try {
      const found = find();
      known.set(slug, found);
      return found;
    } finally {
      open.delete(slug);
    }
  };
}

/**
 * Puts the rules of needed flags where they are needed, for readers who evaluate each flag by itself, as flagd does. Users are
 * dealt out as by the needed flag, whose name such a rule has for that. Without segments there are only conditions, and no rules.
 */
export function createInlining(
  records: readonly FlagValues[],
  segments: readonly SegmentRecord[] | null,
): Inlining {
  let segmentRules: Segments | undefined;
  const bySlug = new Map(records.map((record) => [record.slug, record]));
  const rules = new Map<string, string>();

  const once = findingOnce();
  const conditionsOf = (record: FlagValues): Conditions => once(record.slug, () => findConditions(record));
  const findConditions = (record: FlagValues): Conditions => {
    let all: Map<string, unknown> | null = new Map();
    for (const each of requirementsOf(record.requires)) {
      const some = fulfilled(each);
      if (some === null) all = null;
      else for (const [name, condition] of some) all?.set(name, condition);
      if (all === null) break;
    }
    // A condition that may not hold has those of its flag in it, each as often as it is needed.
    if (all && JSON.stringify([...all.values()]).length > RULE_LIMITS.bytes)
      throw new RangeError(`what ${record.slug} needs is too large for a rule`);
    return all;
  };

  const fulfilled = (requirement: Requirement): Conditions => {
    const record = bySlug.get(requirement.flag);
    if (!record) throw new RangeError(`the flag ${requirement.flag} is missing`);
    return record.rules === null
      ? plainFulfilled(record, requirement)
      : ruledFulfilled(record, parseRules(record.rules), requirement);
  };

  const textOf = (slug: string, targeting: unknown) =>
    JSON.stringify(boundTo(slug, targeting, (segmentRules ??= rulesBySegment(segments ?? []))));

  const plainFulfilled = (record: FlagValues, { variants = ["on"] }: Requirement): Conditions => {
    const [takesOn, takesOff] = [variants.includes("on"), variants.includes("off")];
    if (!record.enabled) return takesOff ? ALWAYS : null;
    const own = conditionsOf(record);
    if (takesOn && takesOff) return ALWAYS;
    if (takesOn) return own;
    if (!takesOff || own?.size === 0) return null;
    return own === null ? ALWAYS : new Map([[`not ${record.slug}`, { "!": [allOf(own)] }]]);
  };

  const ruledFulfilled = (record: FlagValues, own: FlagRules, requirement: Requirement): Conditions => {
    const conditions = record.enabled ? conditionsOf(record) : null;
    if (conditions === null) return null;
    const { targeting = {}, defaultVariant } = own;
    const accepted = acceptedOf(own, requirement);
    // For a condition alone, what no rule serves is as good as off.
    const served = segments === null ? servedVariants(own) : null;
    if (served && !accepted.some((each) => served.has(each))) return null;
    const takesDefault = defaultVariant != null && accepted.includes(defaultVariant);
    if (Object.keys(targeting).length === 0) return takesDefault ? conditions : null;
    const name = `${RULE_OF}${record.slug}`;
    if (segments && !rules.has(name)) rules.set(name, textOf(record.slug, targeting));
    const results = [...accepted.flatMap(resultsFor), ...(takesDefault ? [null] : [])];
    const condition = { in: [{ $ref: name }, results] };
    return new Map([...conditions, [JSON.stringify(condition), condition]]);
  };

  return {
    conditionOf: (record) => {
      const all = record.requires === "" ? ALWAYS : conditionsOf(record);
      return all !== null && allOf(all);
    },
    rules: () => [...rules].map(([name, rule]) => ({ name, rule })),
  };
}

function allOf(conditions: ReadonlyMap<string, unknown>): unknown {
  const [first = true, ...others] = conditions.values();
  return others.length === 0 ? first : { and: [first, ...others] };
}

/** The results of a rule that name a variant, which may be no texts. */
function resultsFor(variant: string): unknown[] {
  if (variant === "true" || variant === "false") return [variant, variant === "true"];
  return String(Number(variant)) === variant ? [variant, Number(variant)] : [variant];
}

/** A rule that yields for any flag what it yields for one. Throws `RangeError` for one that reads the flag in other ways. */
function boundTo(slug: string, rule: unknown, segments: Segments): unknown {
  const whole = inlineSegments(segments, rule);
  if (!/"fractional"|\$flagd/.test(JSON.stringify(whole))) return rule;
  const bound = bind(slug, whole);
  if (/\$flagd(?!\.timestamp")/.test(JSON.stringify(bound)))
    throw new RangeError(`the rule of ${slug} reads which flag it belongs to`);
  return bound;
}

function bind(slug: string, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((each) => bind(slug, each));
  if (typeof part !== "object" || part === null) return part;
  const [[name, args] = ["", null]] = Object.entries(part);
  if (name === "var" && [args].flat()[0] === "$flagd.flagKey") return slug;
  const bound = Object.fromEntries(Object.entries(part).map(([key, each]) => [key, bind(slug, each)]));
  if (name !== "fractional" || !Array.isArray(args) || !Array.isArray(args[0])) return bound;
  // Without a text to deal out by, it is the name of the flag and the targeting key.
  const key = { var: "targetingKey" };
  return { if: [key, { fractional: [{ cat: [slug, key] }, ...(bound["fractional"] as unknown[])] }, null] };
}

/** The flags whose conditions a rule can say: none that needs a flag that is not among them. */
export function inlinable<F extends FlagValues>(records: F[], segments: readonly SegmentRecord[]): F[] {
  if (records.every(({ requires }) => requires === "")) return records;
  const { conditionOf } = createInlining(records, segments);
  return records.filter((record) => {
    try {
      conditionOf(record);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  });
}
