import type * as z from "zod/mini";
import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { SetResult } from "../base/result.ts";
import type { FlagPatch } from "./flag.ts";
import type { segmentSchema } from "./segment-schema.ts";

/** A rule that flags of its environment share by `{"$ref": name}`; flagd calls it an evaluator. */
export type Segment = z.infer<typeof segmentSchema>;

/** A segment as it is stored; `rule` is JSON text. Times are milliseconds since 1970. */
export type SegmentRecord = {
  name: string;
  rule: string;
  createdAt: number;
  updatedAt: number;
  revision: number;
};

export function viewSegment({ name, rule, createdAt, updatedAt, revision }: SegmentRecord): Segment {
  return {
    name,
    rule: JSON.parse(rule),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    revision,
  };
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

/** Gives a segment a rule; `current` is undefined for a new segment. */
export function applyRule(
  name: string,
  current: SegmentRecord | undefined,
  rule: string,
  at: number,
): { record: SegmentRecord; result: SetResult } {
  if (!current)
    return { record: { name, rule, createdAt: at, updatedAt: at, revision: 0 }, result: "created" };
  if (current.rule === rule) return { record: current, result: "unchanged" };
  return { record: { ...current, rule, updatedAt: at }, result: "updated" };
}

export function noSuchSegment(name: string): AppError {
  return new AppError("not_found", `segment "${name}" does not exist`, {
    reason: "segment-not-found",
  });
}

export type SegmentPlace = { project: string; environment: string; segment: string };
