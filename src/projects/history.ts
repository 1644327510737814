import { isoTime } from "../base/clock.ts";

export const CHANGE_KINDS = ["flag", "segment", "environment", "scheduled"] as const;

type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What a change did, as the history of its project keeps it: null before a creation and after a deletion. */
export type HistoryEntry = {
  /** Null for what concerns every environment of the project. */
  environment: string | null;
  /** `scheduled` is a change of a flag that was due and could not be made: `after` says why. */
  kind: ChangeKind;
  name: string;
  before: unknown;
  after: unknown;
};

/** A recorded change. Times are milliseconds since 1970. */
export type Change = HistoryEntry & {
  /** Grows with every change. */
  revision: number;
  at: number;
  who: string;
};

/** Selects changes, newest first; those of a flag come with its scheduled changes that failed. */
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
export function viewChange({ revision, environment, kind, name, at, who, before, after }: Change) {
  return { revision, environment, kind, name, at: isoTime(at), who, before, after };
}
