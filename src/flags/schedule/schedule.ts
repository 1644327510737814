import type { Caller } from "../../access/caller.ts";
import { change, type Plan } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { dashedKey } from "../../base/ids.ts";
import type { RecordOf } from "../../base/kinds/kinds.ts";
import { requireChangeable } from "../../projects/locks.ts";
import type { FlagChange } from "../change.ts";
import { againIfRefused, requireFit, requireSoundRules } from "../fit.ts";
import {
  applyPatch,
  type ChangedFlag,
  noSuchFlag,
  type FlagPatch,
  type FlagPlace,
  type FlagRecord,
} from "../flag.ts";
import { canCauseGaps, requireNoGaps } from "../flagd/results.ts";
import { flagState, requireRevision } from "../history.ts";
import { FIELD_NAMES, FIELDS, type FieldName, NONE_SHOWN, pick, RULE_NAMES } from "../flag-fields.ts";
import { dropScheduled, planScheduled, putFlag } from "../plan.ts";
import { requireSoundContent } from "../previews/preview-content.ts";
import { parseRules, takesPayload } from "../rules/rules.ts";
import { requireNeedsWhenDue } from "./needs-when-due.ts";
import { noSuchScheduled, type DueChange, type SCHEDULE, type ScheduledChange } from "./scheduled-change.ts";
import { segmentsIn } from "../segments.ts";
import type { FlagsApp } from "../store.ts";

/**
 * Schedules a change of a flag. Throws `invalid` for a time that has passed or a patch that does not fit the flag now,
 * `not_found` for the flag, and as `requireChangeable`.
 */
export async function scheduleChange(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  { patch, ...schedule }: RecordOf<typeof SCHEDULE> & { patch: FlagPatch },
): Promise<ScheduledChange> {
  requireScope(caller, "flags:write", place);
  const { project, environment, flag } = place;
  const { at: due } = schedule;
  return change(app, caller, async ({ at }): Promise<Plan<FlagChange, ScheduledChange>> => {
    if (due <= at)
      throw new AppError("invalid", `a change is scheduled for later: ${isoTime(due)} has passed`);
    await requireChangeable(app, caller, place);
    const current = await app.store.flags.find(place);
    if (!current) throw noSuchFlag(flag);
    applyPatch(flag, current, patch, due);
    await requireNeedsWhenDue(app, place, current, { patch, at: due });
    await requireSoundRules(current, patch, () => segmentsIn(app, place));
    await requireSoundContent(patch.previewContent);
    const id = dashedKey(app.random);
    const { name: who, why = null } = caller;
    // Not before its flag, which a process whose clock is ahead may have created: then it would seem to mean another one.
    const createdAt = Math.max(at, current.createdAt);
    const scheduled = { id, environment, flag, patch, ...schedule, who, why, createdAt };
    return { changes: [planScheduled(project, scheduled)], result: scheduled };
  });
}

/** A flag after a change, and the change back; null if the flag was already so. */
type SetForNow = ChangedFlag & { scheduled: ScheduledChange | null };

/**
 * Changes an existing flag, and schedules the reversal at `until`, in milliseconds since 1970. If the patch changes
 * nothing, nothing is scheduled. Throws `invalid` for a time in the past, `not_found` for the flag, and like `setFlag`.
 */
export async function setFlagFor(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  patch: FlagPatch,
  until: number,
  expected: number | null = null,
): Promise<SetForNow> {
  requireScope(caller, "flags:write", place);
  const { project, environment, flag } = place;
  await requireSoundContent(patch.previewContent);
  return change(app, caller, async ({ version, at }): Promise<Plan<FlagChange, SetForNow>> => {
    if (until <= at)
      throw new AppError("invalid", `a change lasts until a later time: ${isoTime(until)} has passed`);
    const before = await app.store.flags.find(place);
    await requireChangeable(app, caller, place);
    requireRevision(flag, before?.revision ?? 0, expected);
    if (!before) throw noSuchFlag(flag);
    await requireSoundRules(before, patch, () => segmentsIn(app, place));
    const { record, result } = applyPatch(flag, before, patch, at);
    if (result === "unchanged") return { changes: [], result: { record, result, scheduled: null } };
    const after = { ...record, revision: version + 1 };
    const { name: who, why = null } = caller;
    const back = { patch: inverseOf(before, after), at: until };
    const createdAt = Math.max(at, before.createdAt);
    const scheduled = { id: dashedKey(app.random), environment, flag, ...back, who, why, createdAt };
    return {
      changes: [putFlag(place, before, after), planScheduled(project, scheduled)],
      result: { record: after, result, scheduled },
    };
  });
}

/** A patch names the state first, then the rules. */
const NAMES = [...new Set<FieldName>(["enabled", ...RULE_NAMES, ...FIELD_NAMES])];

/**
 * The patch that turns `after` back into `before`. It names only the differences, so other changes in between are kept.
 */
export function inverseOf(before: FlagRecord, after: FlagRecord): FlagPatch {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  const differing = NAMES.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  return pick(
    was,
    differing.filter((name) => isNamed(name, before.rules)),
  );
}

/** Every field of a flag, set or not, as a patch sets or removes it. */
function valuesOf(record: FlagRecord): FlagPatch {
  const noRules = Object.fromEntries(RULE_NAMES.map((name) => [name, null]));
  return { payload: {}, ...noRules, ...NONE_SHOWN, ...flagState(record) };
}

/** Without variants there are no rules, and with variants other than true and false no payload. */
function isNamed(name: FieldName, rules: string | null): boolean {
  if (name === "payload") return takesPayload(rules);
  return rules !== null || name === "variants" || FIELDS[name].kind !== "rule";
}

/** Cancels a scheduled change. Throws `not_found`, and as `requireChangeable`. */
export async function cancelScheduled(
  app: FlagsApp,
  caller: Caller,
  { project, environment }: { project: string; environment: string },
  id: string,
): Promise<void> {
  requireScope(caller, "flags:write", { project, environment });
  return change(app, caller, async (): Promise<Plan<FlagChange, void>> => {
    await requireChangeable(app, caller, { project, environment });
    const scheduled = await app.store.scheduled.find(project, environment, id);
    if (!scheduled) throw noSuchScheduled(id);
    return { changes: [dropScheduled(project, scheduled, "it was cancelled", false)], result: undefined };
  });
}

/** Applies the changes that are due, one after the other, and reports each that fails and is dropped. */
export async function applyChanges(app: FlagsApp, report: (text: string) => void): Promise<void> {
  for (;;) {
    const due = await app.store.scheduled.findDue(app.now());
    if (!due) return;
    const failure = await againIfRefused((refusal) => applyOne(app, due, refusal));
    if (failure === null) continue;
    const { id, flag, environment } = due.scheduled;
    report(`dropped the scheduled change ${id} of flag ${flag} in ${due.project}/${environment}: ${failure}`);
  }
}

/**
 * Applies a due change. Returns why it failed; null if it succeeded, or another process applied it. With `refusal`, which
 * the store gave, the change is dropped.
 */
function applyOne(
  app: FlagsApp,
  { project, scheduled }: DueChange,
  refusal: AppError | null,
): Promise<string | null> {
  const { id, environment, flag, patch, who, why, createdAt } = scheduled;
  const place = { project, environment, flag };
  const author = { name: who, type: "system" as const, why: why ?? undefined, verify: async () => {} };
  // Dated when it was due, also if the server was down then.
  const then = { store: app.store, now: () => scheduled.at };
  return change(then, author, async ({ version, at }) => {
    if (!(await app.store.scheduled.find(project, environment, id))) return { changes: [], result: null };
    const done: FlagChange = { change: "deleteScheduled", project, environment, id, history: null };
    try {
      if (refusal) throw refusal;
      const before = await app.store.flags.find(place);
      // A flag of the same name that was created since is another flag.
      if (!before || before.createdAt > createdAt) throw noSuchFlag(flag);
      if (typeof patch !== "object") throw new AppError("invalid", "the change cannot be read");
      const { record, result } = applyPatch(flag, before, patch, at);
      if (result === "unchanged") return { changes: [done], result: null };
      const segments = await segmentsIn(app, place);
      await requireFit([record], segments, environment);
      if (record.rules !== null && canCauseGaps(patch)) requireNoGaps(parseRules(record.rules), segments);
      const put = putFlag(place, before, { ...record, revision: version + 1 });
      return { changes: [put, done], result: null };
    } catch (error) {
      if (error instanceof AppError && error.code === "unavailable") throw error;
      // Dropped for any other reason: a change that fails every time would block all later ones.
      const failure = error instanceof Error ? error.message : String(error);
      return { changes: [dropScheduled(project, scheduled, failure, true)], result: failure };
    }
  });
}
