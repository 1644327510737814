import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { FlagPatch, FlagPlace } from "./flag.ts";

/** A change of a flag that is to be made `at` a time. Times are milliseconds since 1970. */
export type ScheduledChange = {
  id: string;
  environment: string;
  flag: string;
  patch: FlagPatch;
  at: number;
  who: string;
  createdAt: number;
};

/** One whose time had come: `failure` says why it could not be made, or is null. */
export type DueChange = FlagPlace & { id: string; failure: string | null };

export function viewScheduled({ id, at, environment, flag, patch, who, createdAt }: ScheduledChange) {
  return { id, at: isoTime(at), environment, flag, patch, who, createdAt: isoTime(createdAt) };
}

export function noSuchScheduled(id: string): AppError {
  return new AppError("not_found", `no change "${id}" is scheduled`, {
    hint: "formflag flags scheduled -p <project> shows what is",
  });
}
