import type * as z from "zod/mini";
import { isoTime } from "../base/clock.ts";
import { isObject } from "../base/json.ts";
import { AppError } from "../base/errors.ts";
import type { SetResult } from "../base/result.ts";
import type { FlagPatch } from "./flag.ts";
import { MEMBER_LIMITS } from "./limits.ts";
import { type MemberCounts, memberRule } from "./members.ts";
import type { SegmentSource } from "./source-card.ts";
import type { segmentSchema } from "./segment-schema.ts";

/** A rule that flags of its environment share by `{"$ref": name}`; flagd calls it an evaluator. */
export type Segment = z.infer<typeof segmentSchema>;

/**
 * A segment as stored; `rule` is JSON text. A segment that a form fills has a source, the rule of {@link memberRule},
 * and counts that are added on reading. Times are milliseconds since 1970.
 */
export type SegmentRecord = {
  name: string;
  rule: string;
  source?: SegmentSource;
  counts?: MemberCounts;
  createdAt: number;
  updatedAt: number;
  revision: number;
};

/** A source as it is named beside its segment: the form by its slug, in another project as `project:slug`. */
export function namedSource(
  { project, ...source }: SegmentSource,
  place: string,
): Omit<SegmentSource, "project"> {
  return project === place ? source : { ...source, form: `${project}:${source.form}` };
}

/** A segment of a project. */
export function viewSegment(
  { name, rule, source, counts = { members: 0, pending: 0 }, createdAt, updatedAt, revision }: SegmentRecord,
  project: string,
): Segment {
  const { members, pending } = counts;
  const filled = source && {
    source: namedSource(source, project),
    members,
    pending,
    full: members + pending >= MEMBER_LIMITS.values,
  };
  return {
    name,
    rule: source ? null : JSON.parse(rule),
    ...filled,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    revision,
  };
}

/** A segment as JSON: its rule, or the form that fills it. */
export function definitionOf({ rule, source }: SegmentDefinition, project: string): unknown {
  return source ? { source: namedSource(source, project) } : JSON.parse(rule);
}

/** The state of a segment in a history, as fields: `rule`, the source, and the counts. */
export function segmentState(state: unknown): unknown {
  const isNamed = isObject(state) && ["source", "pending"].includes(Object.keys(state).join());
  return isNamed ? state : { rule: state };
}

/** A recorded state as fields: the rule of a segment is one, and so is each environment of a flag that was deleted. */
export function recordedState(kind: string, state: unknown): unknown {
  if (state === null) return {};
  if (kind === "segment") return segmentState(state);
  return (state as { environments?: unknown }).environments ?? state;
}

/** The rule of a segment as JSON text, and the form that fills it, if one does. */
export type SegmentDefinition = Pick<SegmentRecord, "rule" | "source">;

export function isSameSegment(one: SegmentDefinition | undefined, other: SegmentDefinition): boolean {
  return one?.rule === other.rule && Bun.deepEquals(one.source, other.source);
}

/** The definition of a segment that a form fills. */
export function filledDefinition(segment: string, source: SegmentSource): SegmentDefinition {
  return { rule: memberRule(segment, source.attribute), source };
}

/** The parsed rules by name, in the order given. */
export function rulesBySegment(segments: readonly { name: string; rule: string }[]): Map<string, unknown> {
  return new Map(segments.map(({ name, rule }) => [name, JSON.parse(rule) as unknown]));
}

/** The names of the segments that a rule, as JSON text, refers to. */
export function referencesOf(rule: string): Set<string> {
  return new Set([...rule.matchAll(/"\$ref":"([^"\\]+)"/g)].map(([, name]) => name!));
}

/** The users of a segment: `flag search`, `segment beta`, `scheduled change k3v9-x2mq-71bd of flag sale`. */
export function usersOf(name: string, { flags, segments, scheduled = [] }: SegmentUsers): string[] {
  const uses = (rule: string | null) => rule !== null && referencesOf(rule).has(name);
  return [
    ...flags.filter(({ rules }) => uses(rules)).map(({ slug }) => `flag ${slug}`),
    ...segments
      .filter((other) => other.name !== name && uses(other.rule))
      .map((other) => `segment ${other.name}`),
    ...scheduled
      .filter(({ patch }) => uses(JSON.stringify(patch.targeting ?? null)))
      .map(({ id, flag }) => `scheduled change ${id} of flag ${flag}`),
  ];
}

/** Rules of one environment; those of flags and segments are JSON text. */
type SegmentUsers = {
  flags: { slug: string; rules: string | null }[];
  segments: { name: string; rule: string }[];
  scheduled?: { id: string; flag: string; patch: FlagPatch }[];
};

export function segmentInUse(name: string, users: string[]): AppError {
  return new AppError("conflict", `segment "${name}" is still used by ${users.join(", ")}`, {
    hint: "give these another rule first, or cancel what is scheduled",
  });
}

/** Gives a segment a rule or a source; `current` is undefined for a new segment. */
export function applyDefinition(
  name: string,
  current: SegmentRecord | undefined,
  { rule, source }: SegmentDefinition,
  at: number,
): { record: SegmentRecord; result: SetResult } {
  if (current && isSameSegment(current, { rule, ...(source && { source }) }))
    return { record: current, result: "unchanged" };
  const { createdAt = at, revision = 0 } = current ?? {};
  const record = { name, rule, ...(source && { source }), createdAt, updatedAt: at, revision };
  return { record, result: current ? "updated" : "created" };
}

export function noSuchSegment(name: string): AppError {
  return new AppError("not_found", `segment "${name}" does not exist`, {
    reason: "segment-not-found",
  });
}

export type SegmentPlace = { project: string; environment: string; segment: string };
