import type { ChangeKind, HistoryEntry } from "../access/history-entry.ts";
import type { ReviewNote } from "../access/review/review.ts";
import type { Source } from "../access/source.ts";
import { isoTime } from "../base/clock.ts";

/** A recorded change. Times are milliseconds since 1970. */
export type Revision = HistoryEntry & {
  /** Grows with every change. */
  revision: number;
  at: number;
  who: string;
  /** In the words of who made it; null if no reason was given. */
  why: string | null;
  /** The way by which it came; null if that was not recorded. */
  source: Source | null;
  /** The name of the assistant's client that acted for `who`; null for none. */
  via: string | null;
  /** How it was reviewed; null for a direct change. */
  review: ReviewNote | null;
};

/** A recorded change with the slug of its project; null for one in no project. */
export type PlacedRevision = Revision & { project: string | null };

/** A change of a flag, without its values: whether it was on before and after, null if it did not exist. */
export type RecentRevision = Pick<Revision, "revision" | "environment" | "at" | "who" | "via"> & {
  project: string;
  flag: string;
  why: string | null;
  wasOn: boolean | null;
  isOn: boolean | null;
};

/** Selects changes, newest first. The kind `flag` includes scheduled changes that failed, and ramps. */
export type RevisionQuery = {
  kind?: ChangeKind | undefined;
  name?: string | undefined;
  /** Changes that apply to every environment are included. */
  environment?: string | undefined;
  /** Only changes by the user, token or operator of that name. */
  who?: string | undefined;
  /** Only changes from this time on, in milliseconds since 1970. */
  since?: number | undefined;
  limit: number;
  /** Only changes older than this revision. */
  before?: number | undefined;
};

/** A change as the admin API shows it. */
export function viewRevision(change: Revision) {
  const { revision, environment, kind, name, at, who, why, source, via, review, before, after } = change;
  const bypass = review?.bypass ?? false;
  const reviewed = review && { change: review.change, author: review.author, approvers: review.approvers };
  return {
    revision,
    environment,
    kind,
    name,
    at: isoTime(at),
    who,
    why,
    source,
    via,
    bypass,
    review: reviewed && { ...reviewed, approvers: [...reviewed.approvers] },
    before,
    after,
  };
}

/** A change of any project or form as the admin API shows it. */
export function viewPlacedRevision({ project, ...change }: PlacedRevision) {
  return { project, ...viewRevision(change) };
}

/** The action of a revision; `dropped` is a scheduled change that was not made. */
export function actionOf({ kind, before, after }: Pick<Revision, "kind" | "before" | "after">) {
  if (kind === "scheduled") return "dropped";
  return before === null ? "created" : after === null ? "deleted" : "updated";
}

/** The noun for the thing that a revision names. */
export function nounOf(kind: ChangeKind): string {
  return kind === "scheduled" ? "flag" : kind === "ramp" ? "ramp of flag" : kind;
}
