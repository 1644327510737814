import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { requireChangeable } from "../projects/locks.ts";
import { requireNoOpenedForm } from "../projects/opened-forms.ts";
import type { FlagChange } from "./change.ts";
import { SHARED, tagsOf } from "./flag-fields.ts";
import { DETAIL_LIMITS, findFlagSlugFault } from "./limits.ts";
import { requireArchivable } from "./archive.ts";
import { requireFit, requireSoundRules } from "./fit.ts";
import {
  applyPatch,
  changeRecord,
  type ChangedFlag,
  type FlagPatch,
  type FlagPlace,
  type FlagRecord,
  noSuchFlag,
} from "./flag.ts";
import {
  blankState,
  type FlagState,
  newestChange,
  requireNewest,
  requireRevision,
  restore,
  stateAfter,
  stateBefore,
} from "./history.ts";
import { flagInEveryEnvironment } from "./overviews.ts";
import { dropFlag, dropScheduled, putFlag } from "./plan.ts";
import { requireSoundContent } from "./previews/preview-content.ts";
import { noSuchScheduled } from "./schedule/scheduled-change.ts";
import { segmentsIn } from "./segments.ts";
import type { detailsPatchSchema } from "./flag-schema.ts";
import type { FlagsApp } from "./store.ts";

/**
 * Creates a flag, or changes its values in one environment. A new flag is off in the others. Throws `invalid` for a
 * patch, rule or preview content that does not fit, `conflict` unless the flag is at the `expected` revision, and like
 * `requireChangeable`.
 */
export async function setFlag(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  patch: FlagPatch,
  expected: number | null = null,
): Promise<ChangedFlag> {
  requireScope(caller, "flags:write", place);
  const fault = findFlagSlugFault(place.flag);
  if (fault !== undefined) throw new AppError("invalid", fault);
  await requireSoundContent(patch.previewContent);
  const plan = async (before: FlagRecord | undefined, at: number) => {
    await requireSoundRules(before, patch, () => segmentsIn(app, place));
    return applyPatch(place.flag, before, patch, at);
  };
  return changeFlag(app, caller, place, expected, plan, isOfDetails(patch));
}

/**
 * Changes the details that all environments share. The history records it in the first environment that needs no
 * confirmation. Throws `not_found`, `conflict` unless `expected` is the newest revision of the flag in any environment,
 * and like `setFlag`; for archiving and restoring, like `requireArchivable`;
 * with `ifFinished`, like `requireFinished`.
 */
export async function setDetails(
  app: FlagsApp,
  caller: Caller,
  { project, flag }: { project: string; flag: string },
  patch: DetailsPatch,
  expected: number | null = null,
): Promise<ChangedFlag> {
  const [changed] = await setDetailsOf(app, caller, project, { [flag]: patch }, expected);
  return changed!;
}

export type DetailsPatch = z.infer<typeof detailsPatchSchema>;

/** The same for several flags by slug, all of them or none. `expected` is the newest revision of each. */
export function setDetailsOf(
  app: FlagsApp,
  caller: Caller,
  project: string,
  patches: Readonly<Record<string, DetailsPatch>>,
  expected: number | null = null,
): Promise<ChangedFlag[]> {
  requireScope(caller, "flags:write", { project });
  return change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, ChangedFlag[]>> => {
    const environments = await app.store.environments.list(project);
    const open = environments.find(({ locked, approvals }) => !locked && approvals === 0) ?? environments[0];
    const changes: FlagChange[] = [];
    const result: ChangedFlag[] = [];
    const finished = Object.keys(patches).filter((flag) => patches[flag]!.ifFinished);
    if (finished.length > 0)
      await (await import("./cleanup.ts")).requireFinished(app, caller, project, finished);
    for (const [flag, { addTags, ifFinished: _, ...patch }] of Object.entries(patches)) {
      if (!open) throw noSuchFlag(flag);
      const place = { project, environment: open.slug, flag };
      const before = await app.store.flags.find(place);
      if (!before) throw noSuchFlag(flag);
      if (expected !== null) requireRevision(flag, await newestRevision(app, project, flag), expected);
      if (addTags) patch.tags = withTags(flag, patch.tags ?? tagsOf(before.tags), addTags);
      const changed = applyPatch(flag, before, patch, at);
      if (changed.result !== "unchanged") {
        const { record } = changed;
        if (record.archived !== before.archived) await requireArchivable(app, caller, place, record.archived);
        changed.record = { ...record, revision: version + changes.length + 1 };
        changes.push(putFlag(place, before, changed.record));
      }
      result.push(changed);
    }
    return { changes, result };
  });
}

/** Throws `conflict` for more tags than a flag has. */
function withTags(flag: string, tags: readonly string[], added: readonly string[]): string[] {
  const all = [...new Set([...tags, ...added])];
  if (all.length > DETAIL_LIMITS.tags)
    throw new AppError(
      "conflict",
      `a flag has at most ${DETAIL_LIMITS.tags} tags, and ${flag} would have more`,
    );
  return all;
}

async function newestRevision(app: FlagsApp, project: string, flag: string): Promise<number> {
  const everywhere = await flagInEveryEnvironment(app, project, flag);
  return Math.max(0, ...everywhere.map(({ record }) => record?.revision ?? 0));
}

/**
 * A point in the history of a flag: after a revision, or before one, with null before the newest change; `undone` is before
 * a change that has to be the newest.
 */
export type RollbackPoint = number | { before: number | null } | { undone: number };

/**
 * Sets a flag in an environment to what it was then; before its first change it is off and empty. With `scheduled`, cancels
 * that change of the flag as well, if it is still to come. Throws as `stateAfter`, `newestChange`, `requireFit` and `setFlag`.
 */
export function rollbackFlag(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  to: RollbackPoint,
  expected: number | null = null,
  scheduled?: string,
): Promise<ChangedFlag> {
  requireScope(caller, "flags:write", place);
  return changeFlag(app, caller, place, expected, async (before, at) => {
    const state = (await stateAt(app, place, to)) ?? blankState(before);
    const changed = changeRecord(place.flag, before, at, restore(state));
    if (changed.result !== "unchanged")
      await requireFit([changed.record], await segmentsIn(app, place), place.environment);
    return { ...changed, also: scheduled === undefined ? [] : await cancelledWith(app, place, scheduled) };
  });
}

async function cancelledWith(
  { store }: FlagsApp,
  { project, environment, flag }: FlagPlace,
  id: string,
): Promise<FlagChange[]> {
  const scheduled = await store.scheduled.find(project, environment, id);
  if (!scheduled) return [];
  if (scheduled.flag !== flag) throw noSuchScheduled(id);
  return [dropScheduled(project, scheduled, "it was cancelled", false)];
}

async function stateAt({ store }: FlagsApp, place: FlagPlace, to: RollbackPoint): Promise<FlagState | null> {
  const { project } = place;
  if (typeof to === "number") return stateAfter(place, to, await store.changes.find(project, to));
  if ("undone" in to || to.before === null) {
    const newest = await newestChange(store, place);
    if ("undone" in to) requireNewest(place, newest.revision, to.undone);
    return stateBefore(place, newest.revision, newest);
  }
  return stateBefore(place, to.before, await store.changes.find(project, to.before));
}

/** Deletes a flag from every environment. `expected` is the newest of its revisions in any of them. Throws `conflict` for one that opens a form, and as `setFlag`. */
export function deleteFlag(
  app: FlagsApp,
  caller: Caller,
  { project, flag }: { project: string; flag: string },
  expected: number | null = null,
): Promise<void> {
  requireScope(caller, "flags:write", { project });
  return change(app, caller, async () => {
    await requireChangeable(app, caller, { project });
    const records = new Map<string, FlagRecord>();
    for (const { environment, record } of await flagInEveryEnvironment(app, project, flag))
      if (record) records.set(environment, record);
    requireRevision(flag, Math.max(0, ...[...records.values()].map(({ revision }) => revision)), expected);
    if (records.size === 0) throw noSuchFlag(flag);
    await requireNoOpenedForm(app, caller, { project, flag });
    const { endRampsOf } = await import("./ramps/ramps.ts");
    const ends = await endRampsOf(app, project, flag);
    return { changes: [...ends, dropFlag(project, flag, records)], result: undefined };
  });
}

/** Whether a patch sets nothing but details that all environments share. */
function isOfDetails(patch: FlagPatch): boolean {
  const names = Object.keys(patch);
  return names.length > 0 && names.every((name) => Object.hasOwn(SHARED, name));
}

function changeFlag(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  expected: number | null,
  /** `also` is changed with the flag. */
  plan: (before: FlagRecord | undefined, at: number) => Promise<ChangedFlag & { also?: FlagChange[] }>,
  isDetail = false,
): Promise<ChangedFlag> {
  return change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, ChangedFlag>> => {
    const before = await app.store.flags.find(place);
    // No reader sees the details of a flag, which all environments share.
    if (!before || !isDetail) await requireChangeable(app, caller, place);
    requireRevision(place.flag, before?.revision ?? 0, expected);
    const { record, result, also = [] } = await plan(before, at);
    if (result === "unchanged") return { changes: also, result: { record, result } };
    if (record.archived !== (before?.archived ?? false))
      await requireArchivable(app, caller, place, record.archived);
    const after = { ...record, revision: version + 1 };
    return { changes: [putFlag(place, before, after), ...also], result: { record: after, result } };
  });
}
