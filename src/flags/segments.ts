import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import type { SetResult } from "../base/result.ts";
import { MAX_LIST } from "../base/pages.ts";
import { findSlugFault } from "../base/slug.ts";
import { requireChangeable } from "../projects/locks.ts";
import type { FlagChange } from "./change.ts";
import { requireSoundSegment } from "./fit.ts";
import type { FlagValues } from "./flag.ts";
import { requireRevision } from "./history.ts";
import { dropSegment, putSegment } from "./plan.ts";
import type { ScheduledChange } from "./schedule/scheduled-change.ts";
import {
  applyDefinition,
  type SegmentDefinition,
  noSuchSegment,
  referencesOf,
  rulesBySegment,
  segmentInUse,
  type SegmentPlace,
  type SegmentRecord,
  usersOf,
} from "./segment.ts";
import type { FlagsApp } from "./store.ts";

/** A segment after a change, and whether the change created, updated or did not alter it. */
type ChangedSegment = { record: SegmentRecord; result: SetResult };

/** The rules of an environment's segments by name, in their order. Throws `not_found`. */
export async function segmentsIn(
  app: FlagsApp,
  { project, environment }: { project: string; environment: string },
): Promise<Map<string, unknown>> {
  const selection = await app.store.flags.selectIn(project, environment);
  return rulesBySegment(await selection.segments());
}

/** A user of a segment: a flag, another segment, or a scheduled change of the flag `name`. */
export type SegmentUse = { kind: "flag" | "segment" | "scheduled"; name: string };

/** The users of each segment of an environment, by the name of the segment. Throws `not_found`. */
export async function segmentUses(
  app: FlagsApp,
  { project, environment }: { project: string; environment: string },
): Promise<Map<string, SegmentUse[]>> {
  const selection = await app.store.flags.selectIn(project, environment);
  const takeTurns = createTurns();
  const uses = new Map<string, SegmentUse[]>();
  const add = async (use: SegmentUse, rule: string | null) => {
    for (const name of rule === null ? [] : referencesOf(rule)) {
      const users = uses.get(name);
      if (users) users.push(use);
      else uses.set(name, [use]);
    }
    await takeTurns();
  };
  for (const { slug, rules } of await selection.flags()) await add({ kind: "flag", name: slug }, rules);
  for (const { name, rule } of await selection.segments()) await add({ kind: "segment", name }, rule);
  for (const { flag, patch } of await everyScheduled(app, project, environment))
    await add({ kind: "scheduled", name: flag }, JSON.stringify(patch.targeting ?? null));
  return uses;
}

/**
 * Creates a segment or gives it another rule. Throws as `requireSoundSegment`, `conflict` unless it is at the `expected`
 * revision, and as `requireChangeable`.
 */
export async function setSegment(
  app: FlagsApp,
  caller: Caller,
  place: SegmentPlace,
  rule: unknown,
  expected: number | null = null,
): Promise<ChangedSegment> {
  return changeSegment(app, caller, place, expected, async (existing, flags) => {
    await requireSoundSegment(place.segment, rule, existing, flags);
    return { rule: JSON.stringify(rule) };
  });
}

/** Decides the definition of a segment in a plan, by the rules of the segments and by the flags that there are. */
type Define = (existing: Map<string, unknown>, flags: FlagValues[]) => Promise<SegmentDefinition>;

/** Creates a segment or replaces its definition. Throws like `define` and {@link setSegment}. */
export async function changeSegment(
  app: FlagsApp,
  caller: Caller,
  place: SegmentPlace,
  expected: number | null,
  define: Define,
): Promise<ChangedSegment> {
  requireScope(caller, "flags:write", place);
  const { project, environment, segment: name } = place;
  const fault = findSlugFault("segment", name);
  if (fault !== undefined) throw new AppError("invalid", fault);
  return change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, ChangedSegment>> => {
    const before = await app.store.segments.find(place);
    await requireChangeable(app, caller, place);
    requireRevision(name, before?.revision ?? 0, expected);
    const selection = await app.store.flags.selectIn(project, environment);
    const existing = rulesBySegment(await selection.segments());
    const definition = await define(existing, await selection.flags());
    const { record, result } = applyDefinition(name, before, definition, at);
    if (result === "unchanged") return { changes: [], result: { record, result } };
    const after = { ...record, revision: version + 1 };
    return { changes: [putSegment(place, before, after)], result: { record: after, result } };
  });
}

/** Deletes a segment. Throws `conflict` if a flag, another segment or a scheduled change refers to it. */
export function deleteSegment(
  app: FlagsApp,
  caller: Caller,
  place: SegmentPlace,
  expected: number | null = null,
): Promise<void> {
  requireScope(caller, "flags:write", place);
  const { project, environment, segment: name } = place;
  return change(app, caller, async () => {
    const before = await app.store.segments.find(place);
    await requireChangeable(app, caller, place);
    requireRevision(name, before?.revision ?? 0, expected);
    if (!before) throw noSuchSegment(name);
    const selection = await app.store.flags.selectIn(project, environment);
    const users = usersOf(name, {
      flags: await selection.flags(),
      segments: await selection.segments(),
      scheduled: await everyScheduled(app, project, environment),
    });
    if (users.length > 0) throw segmentInUse(name, users);
    return { changes: [dropSegment(place, before)], result: undefined };
  });
}

async function everyScheduled(
  { store }: FlagsApp,
  project: string,
  environment: string,
): Promise<ScheduledChange[]> {
  const all: ScheduledChange[] = [];
  for (;;) {
    const after = all.at(-1);
    const { items, more } = await store.scheduled.page(project, environment, { limit: MAX_LIST, after });
    all.push(...items);
    if (!more) return all;
  }
}
