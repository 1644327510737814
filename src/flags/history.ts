import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { FlagPlace, FlagRecord } from "./flag.ts";
import { parseRules } from "./rules.ts";

export const CHANGE_KINDS = ["flag", "segment", "environment", "scheduled"] as const;

type ChangeKind = (typeof CHANGE_KINDS)[number];

/** One recorded change. What it is about is null before it was made and after it was deleted. */
export type Change = {
  /** Grows with every change. */
  revision: number;
  /** Null for what concerns every environment of the project. */
  environment: string | null;
  /** `scheduled` is a change of a flag that was due and could not be made: `after` says why. */
  kind: ChangeKind;
  name: string;
  at: number;
  who: string;
  before: unknown;
  after: unknown;
};

/** A flag in one environment as the history keeps it, from which it can be set again. */
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
};

export function flagState(record: FlagRecord): FlagState {
  return {
    enabled: record.enabled,
    ...(record.payload === null ? {} : { payload: JSON.parse(record.payload) }),
    expiredAt: record.expiresAt === null ? null : isoTime(record.expiresAt),
    description: record.description,
    ...(record.rules === null ? {} : parseRules(record.rules)),
  };
}

/** Which changes are asked for, newest first; those of a flag come with the `scheduled` ones that failed. */
export type ChangeQuery = {
  kind?: ChangeKind | undefined;
  name?: string | undefined;
  /** Together with what concerns every environment. */
  environment?: string | undefined;
  limit: number;
  /** Only older ones than this revision. */
  before?: number | undefined;
};

/** A change as the admin API shows it. */
export function viewChange({ at, ...change }: Change) {
  const { revision, environment, kind, name, who, before, after } = change;
  return { revision, environment, kind, name, at: isoTime(at), who, before, after };
}

/** Sets a record to what a flag was. */
export function restore(state: FlagState): (record: FlagRecord) => FlagRecord {
  const { enabled, payload, expiredAt, description, ...rules } = state;
  return (record) => ({
    ...record,
    enabled,
    payload: payload === undefined ? null : JSON.stringify(payload),
    expiresAt: expiredAt === null ? null : Date.parse(expiredAt),
    description,
    rules: rules.variants === undefined ? null : JSON.stringify(rules),
  });
}

/** What a change left a flag as. Throws `not_found` where it is none of that flag there, `invalid` for a deletion. */
export function stateAfter(
  { project, environment, flag }: FlagPlace,
  to: number,
  change?: Change,
): FlagState {
  const hint = `formflag flags history ${flag} -p ${project} -e ${environment} shows its revisions`;
  if (change?.kind !== "flag" || change.name !== flag)
    throw new AppError("not_found", `revision ${to} is no change of the flag "${flag}"`, { hint });
  if (change.after === null)
    throw new AppError("invalid", `"${flag}" was deleted at revision ${to}: name one before it`, { hint });
  if (change.environment !== environment) {
    const message = `revision ${to} is a change of "${flag}" in ${change.environment}, not in ${environment}`;
    throw new AppError("not_found", message, { hint });
  }
  return change.after as FlagState;
}

/** Throws `conflict` where somebody else was faster: `expected` is 0 for what should not exist yet. */
export function requireRevision(name: string, current: number, expected: number): void {
  if (current === expected) return;
  const found = current === 0 ? "does not exist" : `is at revision ${current}`;
  throw new AppError("conflict", `"${name}" was changed meanwhile: it ${found}, not at ${expected}`, {
    hint: "look at what it is now, then say --if-revision with the new number",
  });
}
