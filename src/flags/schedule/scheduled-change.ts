import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { FlagPatch } from "../flag.ts";

/** A change of a flag that is due `at` a time. Times are milliseconds since 1970. */
export type ScheduledChange = {
  id: string;
  environment: string;
  flag: string;
  patch: FlagPatch;
  at: number;
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

export function viewScheduled({ id, at, environment, flag, patch, who, why, createdAt }: ScheduledChange) {
  return { id, at: isoTime(at), environment, flag, patch, who, why, createdAt: isoTime(createdAt) };
}

export function noSuchScheduled(id: string): AppError {
  return new AppError("not_found", `no change "${id}" is scheduled`, { reason: "scheduled-not-found" });
}
