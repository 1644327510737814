import type { Caller } from "../access/caller.ts";
import { change, type Moment, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import { stringifyMembers } from "../base/json/json-turns.ts";
import type { SetResult } from "../base/result.ts";
import { sha256 } from "../base/sum.ts";
import { requireChangeable } from "../projects/locks.ts";
import type { FlagChange } from "./change.ts";
import { requireFit, requireRoom } from "./fit.ts";
import { pick, SHARED } from "./flag-fields.ts";
import { BLANK, changeRecord, noSuchFlag, type FlagRecord } from "./flag.ts";
import { type FlagState, flagState } from "./history.ts";
import { orderSegments, putFlag, putSegment } from "./plan.ts";
import { requireNeedsAfter } from "./requires/after.ts";
import {
  applyDefinition,
  definitionOf,
  isSameSegment,
  referencesOf,
  rulesBySegment,
  type SegmentRecord,
} from "./segment.ts";
import { scopeOfSource } from "./source-card.ts";
import { listInSteps } from "./overviews.ts";
import type { FlagsApp } from "./store.ts";

/** Which flags to copy between environments of a project: null is all. `segments` copies what their rules need too. */
export type PromotionOrder = { from: string; to: string; flags: string[] | null; segments: boolean };

/** The effect of a promotion. */
export type Promotion = {
  /** The flags that change. */
  flags: { slug: string; result: SetResult; before: FlagState; after: FlagState }[];
  /** The number of flags that stay as they are. */
  unchanged: number;
  /** Segments that the rules refer to and that are missing (`before` is null) or different in the target. */
  segments: { name: string; copied: boolean; before: unknown; after: unknown }[];
};

/** A text that differs for promotions that change different things. */
export async function fingerprintOf({ flags, segments }: Promotion): Promise<string> {
  return sha256(await stringifyMembers({ flags, segments }, 2));
}

/**
 * Copies values of flags from one environment of a project to another. A dry run returns the changes; its fingerprint,
 * passed as `expected`, promotes exactly these. Throws `not_found`, `conflict` with the reason `segment-missing` if the
 * target lacks a segment of a rule, or `promotion-differs`, `forbidden` to copy a welcome to who may not set one, like
 * `requireChangeable`, and for what flags need like `requireNeedsAfter`.
 */
export async function promoteFlags(
  app: FlagsApp,
  caller: Caller,
  project: string,
  order: PromotionOrder,
  dryRun: boolean,
  expected: string | null = null,
): Promise<Promotion> {
  const { from, to } = order;
  requireScope(caller, "flags:write", { project, environment: to });
  requireScope(caller, "flags:read", { project, environment: from });
  if (from === to) throw new AppError("invalid", `flags of ${from} are promoted to another environment`);
  return change(app, caller, async (moment) => {
    const state = await readState(app, project, order);
    if (!dryRun) await requireChangeable(app, caller, { project, environment: to });
    const { changes, result } = await planPromotion(project, order, state, moment, dryRun);
    for (const each of changes) {
      const source = each.change === "putSegment" ? each.record.source : undefined;
      if (source?.welcome !== undefined) requireScope(caller, scopeOfSource(source), source);
    }
    if (expected !== null && (await fingerprintOf(result)) !== expected)
      throw new AppError("conflict", `what differs between ${from} and ${to} has changed since the dry run`, {
        reason: "promotion-differs",
      });
    if (dryRun) await requireNeedsAfter(app.store, changes);
    return { changes: dryRun ? [] : changes, isDryRun: dryRun, result };
  });
}

/**
 * How the flags of two environments of a project differ: what a dry run of promoting all of them lists. Throws
 * `not_found`.
 */
export async function compareEnvironments(
  app: FlagsApp,
  project: string,
  from: string,
  to: string,
): Promise<Promotion> {
  const order: PromotionOrder = { from, to, flags: null, segments: false };
  const state = await readState(app, project, order);
  const moment = { version: (await app.store.readVersion()).version, at: app.now() };
  return (await planPromotion(project, order, state, moment, true)).result;
}

type State = {
  /** The flags to copy, as they are in the source, and every flag of the target by slug. */
  chosen: FlagRecord[];
  target: Map<string, FlagRecord>;
  /** In their order. */
  sourceSegments: SegmentRecord[];
  targetSegments: SegmentRecord[];
};

async function readState(
  app: FlagsApp,
  project: string,
  { from, to, flags }: PromotionOrder,
): Promise<State> {
  const bySlug = new Map((await listInSteps(app, project, from)).map((each) => [each.slug, each]));
  const target = await listInSteps(app, project, to);
  const chosen = [...new Set(flags ?? bySlug.keys())].map((slug) => {
    const record = bySlug.get(slug);
    if (!record) throw noSuchFlag(slug);
    return record;
  });
  return {
    chosen,
    target: new Map(target.map((each) => [each.slug, each])),
    sourceSegments: await (await app.store.flags.selectIn(project, from)).segments(),
    targetSegments: await (await app.store.flags.selectIn(project, to)).segments(),
  };
}

async function planPromotion(
  project: string,
  { to, segments: copies }: PromotionOrder,
  { chosen, target, sourceSegments, targetSegments }: State,
  { version, at }: Moment,
  dryRun: boolean,
): Promise<Plan<FlagChange, Promotion>> {
  const needed = segmentsNeeded(chosen, sourceSegments);
  const existing = new Map(targetSegments.map((each) => [each.name, each]));
  const different = needed.filter((each) => !isSameSegment(existing.get(each.name), each));
  const changes: FlagChange[] = [];
  if (copies && different.length > 0) {
    for (const each of different) {
      const { name } = each;
      const before = existing.get(name);
      const record = {
        ...applyDefinition(name, before, each, at).record,
        revision: version + changes.length + 1,
      };
      changes.push(putSegment({ project, environment: to, segment: name }, before, record));
    }
    // A segment may refer only to those behind it.
    const names = needed.map(({ name }) => name);
    const others = targetSegments.map(({ name }) => name).filter((name) => !names.includes(name));
    changes.push(orderSegments(project, to, [...others, ...names]));
  }

  const changed: (Promotion["flags"][number] & { record: FlagRecord })[] = [];
  const turn = createTurns();
  for (const source of chosen) {
    await turn();
    const { slug } = source;
    const before = target.get(slug);
    // Deleted between the two reads, which makes a plan outdated.
    if (!before) continue;
    const { record, result } = changeRecord(slug, before, at, withValuesOf(source));
    if (result === "unchanged") continue;
    const after = { ...record, revision: version + changes.length + 1 };
    changes.push(putFlag({ project, environment: to, flag: slug }, before, after));
    changed.push({ slug, result, before: flagState(before), after: flagState(record), record });
  }
  const after = rulesBySegment([...targetSegments, ...(copies ? different : [])]);
  // A dry run lists missing segments, which `segments` would copy, instead of failing.
  if (!dryRun)
    await requireFit(
      changed.map(({ record }) => record),
      after,
      to,
    );
  const slugs = new Set(changed.map(({ slug }) => slug));
  if (copies)
    await requireRoom(
      [...target.values()].filter(({ slug }) => !slugs.has(slug)),
      after,
    );
  return {
    changes,
    result: {
      flags: changed.map(({ slug, result, before, after }) => ({ slug, result, before, after })),
      unchanged: chosen.length - changed.length,
      segments: different.map((each) => {
        const { name } = each;
        const before = existing.get(name);
        return {
          name,
          copied: copies,
          before: before ? definitionOf(before, project) : null,
          after: definitionOf(each, project),
        };
      }),
    },
  };
}

/** The fields of a flag that each environment has for itself. */
const COPIED = (Object.keys(BLANK) as (keyof typeof BLANK)[]).filter(
  (name) => name !== "imported" && !Object.hasOwn(SHARED, name),
);

/** Returns a function that gives a record the values of another environment. */
export function withValuesOf(source: FlagRecord) {
  const values = pick(source, COPIED);
  return (record: FlagRecord): FlagRecord => ({ ...record, ...values });
}

/** The segments that the rules of these flags refer to, also through one another, in the order given. */
function segmentsNeeded(flags: FlagRecord[], segments: SegmentRecord[]): SegmentRecord[] {
  if (segments.length === 0) return [];
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  const needed = new Set<SegmentRecord>();
  const addReferences = (rule: string) => {
    for (const name of referencesOf(rule)) {
      const segment = byName.get(name);
      if (!segment || needed.has(segment)) continue;
      needed.add(segment);
      addReferences(segment.rule);
    }
  };
  for (const { rules } of flags) addReferences(rules ?? "");
  return segments.filter((segment) => needed.has(segment));
}
