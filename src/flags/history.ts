import { own } from "../base/shapes/own.ts";
import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { DETAIL_NAMES, NONE_SHOWN, optionalMembers } from "./flag-fields.ts";
import { type FlagDetail, type FlagPlace, type FlagRecord, payloadText, storedValues } from "./flag.ts";
import type { Revision } from "../projects/history.ts";
import { parseRules, rulesText } from "./rules/rules.ts";
import type { FlagsApp } from "./store.ts";

/**
 * A flag in one environment as the history records it, complete enough to restore it. The payload is left out if none is
 * set.
 */
export type FlagState = Omit<FlagDetail, "slug" | "createdAt" | "updatedAt" | "payload"> & {
  payload?: unknown;
};

export function flagState(record: FlagRecord): FlagState {
  return {
    enabled: record.enabled,
    ...(record.payload === null ? {} : { payload: JSON.parse(record.payload) }),
    expiredAt: record.expiresAt === null ? null : isoTime(record.expiresAt),
    description: record.description,
    ...(record.rules === null ? {} : parseRules(record.rules)),
    ...optionalMembers(record),
  };
}

/** Returns a function that sets a record to a recorded state. */
export function restore(state: FlagState): (record: FlagRecord) => FlagRecord {
  const { variants } = state;
  const values = {
    ...storedValues({ ...NONE_SHOWN, ...state }),
    payload: payloadText(state.payload),
    rules: variants === undefined ? null : rulesText({ ...state, variants }),
  };
  return (record) => ({ ...record, ...values });
}

/** The state of a flag after a change. Throws `not_found` for a change of something else, `invalid` for a deletion. */
export function stateAfter(place: FlagPlace, to: number, change?: Revision): FlagState {
  const { after } = changeOf(place, to, change);
  if (after !== null) return after as FlagState;
  const message = `"${place.flag}" was deleted at revision ${to}: name one before it`;
  throw new AppError("invalid", message, { reason: REASON });
}

/**
 * The state of a flag before a change; null if the flag was new, which is off and empty. Throws `not_found` for a change
 * of something else.
 */
export function stateBefore(place: FlagPlace, revision: number, change?: Revision): FlagState | null {
  const { environment, before } = changeOf(place, revision, change);
  if (environment !== null) return before as FlagState | null;
  const { environments = {} } = before as { environments?: Record<string, FlagState> };
  const state = own(environments, place.environment);
  if (state) return state;
  const message = `"${place.flag}" was not in ${place.environment} when it was deleted at revision ${revision}`;
  throw new AppError("not_found", message, { reason: REASON });
}

/** State of a flag before its first change in an environment; what all environments share stays. */
export function blankState(record: FlagRecord | undefined): FlagState {
  const shared = record && optionalMembers(record, DETAIL_NAMES);
  return { enabled: false, expiredAt: null, description: record?.description ?? "", ...shared };
}

const REASON = "revision-not-found";

/** A change of a flag in this environment, or of its deletion. Throws `not_found` for any other. */
function changeOf(
  { environment, flag }: FlagPlace,
  revision: number,
  change: Revision | undefined,
): Revision {
  if (change?.kind !== "flag" || change.name !== flag) {
    const message = `revision ${revision} is not a change of the flag "${flag}"`;
    throw new AppError("not_found", message, { reason: REASON });
  }
  if (change.environment !== null && change.environment !== environment) {
    const message = `revision ${revision} is a change of "${flag}" in ${change.environment}, not in ${environment}`;
    throw new AppError("not_found", message, { reason: REASON });
  }
  return change;
}

/** The newest change of a flag in an environment. Throws `not_found` without one. */
export async function newestChange(
  { changes }: Pick<FlagsApp["store"], "changes">,
  { project, environment, flag }: FlagPlace,
): Promise<Revision> {
  const query = { kind: "flag", name: flag, environment, limit: 20 } as const;
  for (let before: number | undefined; ;) {
    const { items, more } = await changes.page(project, { ...query, before });
    // Failures of scheduled changes, and ramps, which changed nothing, are listed too.
    const change = items.find(({ kind }) => kind === "flag");
    if (change) return change;
    if (!more)
      throw new AppError("not_found", `there is no change of "${flag}" in ${environment} to undo`, {
        reason: REASON,
      });
    before = items.at(-1)!.revision;
  }
}

/** Throws `conflict` unless the change to undo is the newest of the flag in an environment. */
export function requireNewest({ environment, flag }: FlagPlace, newest: number, expected: number): void {
  if (newest === expected) return;
  const message = `"${flag}" was changed meanwhile: its newest change in ${environment} is revision ${newest}, not ${expected}`;
  throw new AppError("conflict", message, { reason: "revision-differs" });
}

/** Throws `conflict` unless the revision is the expected one: 0 for a name that should not exist yet, null for any. */
export function requireRevision(name: string, current: number, expected: number | null): void {
  if (expected === null || current === expected) return;
  const actual = current === 0 ? "does not exist" : `is at revision ${current}`;
  throw new AppError("conflict", `"${name}" was changed meanwhile: it ${actual}, not at ${expected}`, {
    reason: "revision-differs",
  });
}
