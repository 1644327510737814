import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { payloadText, type FlagPlace, type FlagRecord } from "./flag.ts";
import type { Change } from "../projects/history.ts";
import { NO_PREVIEW, type Preview, previewMembers } from "./preview.ts";
import { parseRules } from "./rules.ts";

/** A flag in one environment as the history records it, complete enough to restore it. */
export type FlagState = {
  enabled: boolean;
  /** Left out where none is set. */
  payload?: unknown;
  expiredAt: string | null;
  description: string;
  variants?: unknown;
  defaultVariant?: unknown;
  targeting?: unknown;
  metadata?: unknown;
} & Partial<Preview>;

export function flagState(record: FlagRecord): FlagState {
  return {
    enabled: record.enabled,
    ...(record.payload === null ? {} : { payload: JSON.parse(record.payload) }),
    expiredAt: record.expiresAt === null ? null : isoTime(record.expiresAt),
    description: record.description,
    ...(record.rules === null ? {} : parseRules(record.rules)),
    ...previewMembers(record),
  };
}

/** Returns a function that sets a record to a recorded state. */
export function restore(state: FlagState): (record: FlagRecord) => FlagRecord {
  const { enabled, payload, expiredAt, description, isPreview, previewName, previewContent, ...rules } = {
    ...NO_PREVIEW,
    ...state,
  };
  return (record) => ({
    ...record,
    enabled,
    payload: payloadText(payload),
    expiresAt: expiredAt === null ? null : Date.parse(expiredAt),
    description,
    rules: rules.variants === undefined ? null : JSON.stringify(rules),
    isPreview,
    previewName,
    previewContent,
  });
}

/** The state of a flag after a change. Throws `not_found` for a change of something else, `invalid` for a deletion. */
export function stateAfter({ environment, flag }: FlagPlace, to: number, change?: Change): FlagState {
  const reason = "revision-not-found";
  if (change?.kind !== "flag" || change.name !== flag)
    throw new AppError("not_found", `revision ${to} is not a change of the flag "${flag}"`, { reason });
  if (change.after === null)
    throw new AppError("invalid", `"${flag}" was deleted at revision ${to}: name one before it`, { reason });
  if (change.environment !== environment) {
    const message = `revision ${to} is a change of "${flag}" in ${change.environment}, not in ${environment}`;
    throw new AppError("not_found", message, { reason });
  }
  return change.after as FlagState;
}

/** Throws `conflict` unless the revision is the expected one: 0 for a name that should not exist yet, null for any. */
export function requireRevision(name: string, current: number, expected: number | null): void {
  if (expected === null || current === expected) return;
  const actual = current === 0 ? "does not exist" : `is at revision ${current}`;
  throw new AppError("conflict", `"${name}" was changed meanwhile: it ${actual}, not at ${expected}`, {
    reason: "revision-differs",
  });
}
