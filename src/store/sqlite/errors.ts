import { AppError, systemCode } from "../../base/errors.ts";

/**
 * Converts an error of SQLite or the file system that a caller can resolve to an AppError, and returns any other error
 * unchanged. `file` is the file that could not be opened; without it, the message names no path, because senders may
 * see it. Codes: https://www.sqlite.org/rescode.html
 */
export function sqliteError(error: unknown, file?: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = systemCode(error);
  const known = KNOWN.find(([pattern]) => pattern.test(code));
  if (!known) return error;
  const [, kind, message, hint, reason] = known;
  if (file !== undefined) return new AppError(kind, `${file} ${message}`, { hint, reason, cause: error });
  return new AppError("unavailable", `the database ${message}`, { hint, cause: error, retryAfter: 1 });
}

const KNOWN: [RegExp, AppError["code"], string, string, string?][] = [
  [/^SQLITE_(BUSY|LOCKED)/, "unavailable", "is locked by another process", "try again in a moment"],
  [
    /^(SQLITE_FULL|ENOSPC|EDQUOT)/,
    "unavailable",
    "cannot grow: the disk is full",
    "free some space and try again",
  ],
  [
    /^(SQLITE_READONLY|SQLITE_PERM|EACCES|EPERM|EROFS)/,
    "forbidden",
    "cannot be written",
    "check who owns the data directory and whether its disk is mounted read-only",
  ],
  [
    /^(SQLITE_CANTOPEN|ENOTDIR|EEXIST|ENOENT)/,
    "forbidden",
    "cannot be opened or created",
    "check the path of the data directory, its permissions, and whether its disk is mounted read-only",
    "database-unusable",
  ],
  [
    /^(SQLITE_NOTADB|SQLITE_CORRUPT)/,
    "unsupported",
    "is not a database, or is damaged",
    "restore it from a backup; the file was left as it is",
  ],
  [
    /^SQLITE_IOERR/,
    "unavailable",
    "cannot be read or written: the disk reports an error",
    "check the disk and the system log",
  ],
];
