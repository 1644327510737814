import { type FlagValues, hasExpired, isOn, parsePayload } from "../flag.ts";
import { PAYLOAD_SUFFIX } from "../limits.ts";
import { type SegmentRecord, referencesOf } from "../segment.ts";
import { type FlagdDocument, type FlagdFlag, exportFlags } from "./definition.ts";
import { inlinable } from "../requires/inlined.ts";
import { variantsFor } from "../requires/places.ts";
import { requirementsOf } from "../requires/requirement.ts";
import { foreignOperators } from "./foreign.ts";

/** A flagd file for evaluation elsewhere, which holds until `until`, when one of its flags expires. */
export type SourceFile = {
  text: string;
  /** How many flags it lacks, or their payloads, since flagd cannot evaluate them as this server does. */
  omitted: number;
  /** In milliseconds since 1970; Infinity if no flag of it expires. */
  until: number;
};

/** The flags of an environment, and the segments that their rules refer to. */
type Source = { records: readonly FlagValues[]; segments: readonly SegmentRecord[]; metadata: string };

/** Whose evaluation a file is for: that of flagd, or of the providers of this product, which evaluate all that this server does. */
export type Reader = "flagd" | "formflag";

/** A flag in a file for the providers of this product, with what flagd has no words for. */
type Own = FlagdFlag & {
  formflag?: { payloadOf: string } | { isOff?: true; needs?: Needed[]; counts?: Counted };
};

/** A needed flag with the variants that fulfil the need, by which a provider names the first that fails. */
type Needed = [flag: string, variants: readonly string[]];

/**
 * The users who are counted once they got a variant of a flag that an experiment or a guard measures: all, or those for whom
 * a rule yields `counted`.
 */
export type Counted = true | { rule: unknown };

/**
 * The flags of the environment `scope`, such as `shop/production`, as a file for in-process providers. An expired flag is
 * off, because flagd has no expiry. Flags are left out that depend on a segment that a form fills (its members are personal
 * data), and for flagd what it would evaluate wrongly: flags that use operators that it lacks, and payloads of flags with a
 * rule (it would hash users with a different key).
 */
export async function sourceFile(
  { records, segments, metadata }: Source,
  scope: string,
  now: number,
  reader: Reader,
  counted: ReadonlyMap<string, Counted> = new Map(),
): Promise<SourceFile> {
  const isOwn = reader === "formflag";
  const isBeyond = (rule: string) => !isOwn && foreignOperators(rule).size > 0;
  const unknown = segmentsBeyond(
    segments,
    (segment) => segment.source !== undefined || isBeyond(segment.rule),
  );
  const isKnown = (rule: string | null) => rule === null || !(isBeyond(rule) || dependsOn(unknown, rule));
  const isServed = ({ payload, rules }: FlagValues) => isOwn || payload === null || rules === null;
  const known = segments.filter(({ name }) => !unknown.has(name));
  const flags = inlinable(
    records
      .filter(({ rules }) => isKnown(rules))
      .map((record) => ({
        ...record,
        enabled: isOn(record, now),
        payload: isServed(record) ? record.payload : null,
      })),
    known,
  );
  const served = new Map(flags.map((flag) => [flag.slug, flag.payload]));
  const file = await exportFlags(flags, known, metadata);
  const bySlug = new Map(flags.map((flag) => [flag.slug, flag]));
  for (const flag of flags)
    if (isOwn) markOwn(file, flag, bySlug, counted.get(flag.slug));
    else markDisabled(file, flag);
  const expiries = flags.flatMap((flag) => (hasExpired(flag, now) ? [] : (flag.expiresAt ?? [])));
  return {
    text: JSON.stringify({ ...file, metadata: { ...file.metadata, flagSetId: scope, scope } }),
    omitted: records.filter(({ slug, payload }) => served.get(slug) !== payload).length,
    until: expiries.reduce((least, each) => Math.min(least, each), Infinity),
  };
}

function markDisabled({ flags }: FlagdDocument, { slug, payload, enabled }: FlagValues): void {
  if (payload !== null && !enabled) flags[slug + PAYLOAD_SUFFIX]!.state = "DISABLED";
}

/** Makes a payload follow its flag, a flag without variants that is off say so, one that needs others say which, and a flag that is measured say for whom. */
function markOwn(
  { flags }: FlagdDocument,
  { slug, payload, enabled, requires, rules }: FlagValues,
  bySlug: ReadonlyMap<string, FlagValues>,
  counts: Counted | undefined,
): void {
  const own: Record<string, Own> = flags;
  if (rules === null && !enabled) own[slug]!.formflag = { isOff: true };
  if (enabled && requires !== "")
    own[slug]!.formflag = {
      needs: requirementsOf(requires).map((each) => [each.flag, variantsFor(each, bySlug.get(each.flag)!)]),
    };
  if (counts !== undefined) own[slug]!.formflag = { ...own[slug]!.formflag, counts };
  if (payload === null) return;
  const variants = { payload: parsePayload(payload) };
  own[slug + PAYLOAD_SUFFIX] = { state: "ENABLED", variants, formflag: { payloadOf: slug } };
}

/** The flags and segments without operators that flagd lacks, and how many flags have one. */
export function withoutForeign<F extends FlagValues>(
  records: F[],
  segments: SegmentRecord[],
): { flags: F[]; segments: SegmentRecord[]; omitted: number } {
  const unknown = segmentsBeyond(segments, ({ rule }) => foreignOperators(rule).size > 0);
  const known = segments.filter(({ name }) => !unknown.has(name));
  const flags = inlinable(
    records.filter(
      ({ rules }) => rules === null || !(foreignOperators(rules).size > 0 || dependsOn(unknown, rules)),
    ),
    known,
  );
  return { flags, segments: known, omitted: records.length - flags.length };
}

function dependsOn(names: ReadonlySet<string>, rule: string): boolean {
  return names.size > 0 && !names.isDisjointFrom(referencesOf(rule));
}

/** The names of segments that a condition holds for, and of segments that refer to one. */
function segmentsBeyond(
  segments: readonly SegmentRecord[],
  isBeyond: (segment: SegmentRecord) => boolean,
): Set<string> {
  const names = new Set(segments.filter(isBeyond).map(({ name }) => name));
  for (let before = -1; before !== names.size && names.size > 0;) {
    before = names.size;
    for (const { name, rule } of segments) if (dependsOn(names, rule)) names.add(name);
  }
  return names;
}
