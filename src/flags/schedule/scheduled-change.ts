import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Card, RecordOf } from "../../base/kinds/kinds.ts";
import { shownOf } from "../../base/kinds/records.ts";
import type { FlagPatch } from "../flag.ts";

/** The fields of a scheduled change beside what it changes. */
export const SCHEDULE = {
  at: {
    kind: { is: "time", isLater: true },
    required: true,
    option: [
      "at <time>",
      "schedule the change for this time; the flag must exist: ISO 8601, or a duration such as 2h",
    ],
  },
} as const satisfies Card;

/** A change of a flag that is due `at` a time. Times are milliseconds since 1970. */
export type ScheduledChange = RecordOf<typeof SCHEDULE> & {
  id: string;
  environment: string;
  flag: string;
  patch: FlagPatch;
  who: string;
  /** Why the change was scheduled; null if no reason was given. */
  why: string | null;
  createdAt: number;
};

/** Selects a page of at most `limit` changes after `after`, which may no longer exist. */
export type ScheduledQuery = {
  limit: number;
  after?: Pick<ScheduledChange, "at" | "createdAt" | "id"> | undefined;
};

/** A scheduled change that is due. */
export type DueChange = { project: string; scheduled: ScheduledChange };

export function viewScheduled(scheduled: ScheduledChange) {
  const { id, environment, flag, patch, who, why, createdAt } = scheduled;
  const schedule = shownOf(SCHEDULE, scheduled);
  return { id, ...schedule, environment, flag, patch, who, why, createdAt: isoTime(createdAt) };
}

export function noSuchScheduled(id: string): AppError {
  return new AppError("not_found", `scheduled change "${id}" does not exist`, {
    reason: "scheduled-not-found",
  });
}
