import { own } from "../base/shapes/own.ts";
import { AppError, systemCode } from "../base/errors.ts";

/**
 * Turns an error of the file system that an operator can resolve into an AppError, and returns any other error as it is.
 * `root` is the directory that could not be opened; without it the message names no path, because senders may see it, but
 * says what the directory is for.
 */
export function diskError(error: unknown, root?: string, what = "the upload directory"): unknown {
  const code = systemCode(error);
  const known = own(KNOWN, code);
  if (!known) return error;
  const [message, hint] = known;
  if (root !== undefined) return new AppError("forbidden", `${root} ${message}`, { hint, cause: error });
  return new AppError("unavailable", `${what} ${message}`, {
    hint,
    cause: error,
    retryAfter: 5,
  });
}

const FULL = ["cannot grow: the disk is full", "free some space and try again"] as const;
const DENIED = [
  "cannot be written",
  "check that it exists, who owns it, and whether its disk is mounted read-only",
] as const;
const BUSY = ["cannot open more files", "raise the limit of open files"] as const;
const KNOWN: Record<string, readonly [message: string, hint: string]> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: DENIED,
  ENOTDIR: DENIED,
  EEXIST: DENIED,
  EISDIR: DENIED,
  ENOENT: DENIED,
  ENOTEMPTY: DENIED,
  EMFILE: BUSY,
  ENFILE: BUSY,
  EIO: ["has a failing disk", "check the disk and the system log"],
};
