import type * as z from "zod/mini";
import { AppError } from "./errors.ts";
import type { SetResult } from "./flags.ts";
import type { segmentSchema } from "./schemas/segments.ts";
import { isoTime } from "./time.ts";

/** A rule that flags of its environment share by `{"$ref": name}`; flagd calls it an evaluator. */
export type Segment = z.infer<typeof segmentSchema>;

/** As it is stored; `rule` is JSON text. Times are milliseconds since 1970. */
export type SegmentRecord = {
  name: string;
  rule: string;
  createdAt: number;
  updatedAt: number;
  revision: number;
};

export function viewSegment({ name, rule, createdAt, updatedAt }: SegmentRecord): Segment {
  return { name, rule: JSON.parse(rule), createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

/** In the order given. */
export function rulesBySegment(segments: { name: string; rule: string }[]): Map<string, unknown> {
  return new Map(segments.map(({ name, rule }) => [name, JSON.parse(rule) as unknown]));
}

/** The segment with another rule, and what that is to be called. */
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
    hint: "formflag segments list -p <project> -e <environment> shows the segments there are",
  });
}
