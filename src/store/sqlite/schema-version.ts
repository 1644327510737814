import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import { countMigrations } from "../migration-files.ts" with { type: "macro" };
import { readNumber } from "./statements.ts";

/** How many migrations a current database has had. The migrations themselves are loaded only to apply some. */
export const NEWEST_SCHEMA: number = countMigrations("sqlite/migrations");

/** The migration that creates the search index. */
export const SEARCH_SCHEMA = 10;

/** "fflg": marks the file as ours (https://www.sqlite.org/fileformat.html, application ID). */
export const APPLICATION_ID = 0x66666c67;

/** Milliseconds that a statement waits for the lock of another process. It blocks its thread. */
export const BUSY_TIMEOUT = 5000;

/** Whether a database is up to date. Throws as {@link schemaVersion} does. */
export function isCurrent(db: Database, newest = NEWEST_SCHEMA): boolean {
  return schemaVersion(db, newest) === newest && !lacksIndex(db);
}

/**
 * Like {@link isCurrent}, in one transaction, because another process may be creating the file. Does not use
 * `db.transaction`, whose first use prepares the statements of every kind of transaction.
 */
export function isCurrentAtOnce(db: Database, newest = NEWEST_SCHEMA): boolean {
  db.run("BEGIN");
  try {
    return isCurrent(db, newest);
  } finally {
    if (db.inTransaction) db.run("ROLLBACK");
  }
}

/** Whether a migrated database has no search index: a copy from a backup, which gets an empty one. */
export function lacksIndex(db: Database): boolean {
  if (readNumber(db, "PRAGMA user_version") < SEARCH_SCHEMA) return false;
  return readNumber(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'submission_search'") === 0;
}

/**
 * The number of migrations applied to a database; 0 for an empty file. Throws `unsupported` for a database of another
 * program or of a newer formflag.
 */
export function schemaVersion(db: Database, newest = NEWEST_SCHEMA, name = db.filename): number {
  const version = readNumber(db, "PRAGMA user_version");
  const application = readNumber(db, "PRAGMA application_id");
  const isEmpty = () => readNumber(db, "SELECT count(*) FROM sqlite_schema") === 0;
  if (application !== APPLICATION_ID && !(version === 0 && application === 0 && isEmpty())) {
    throw new AppError("unsupported", `${name} is a database of another program`, {
      reason: "database-foreign",
    });
  }
  if (version > newest) {
    throw new AppError(
      "unsupported",
      `${name} was written by a newer formflag (schema ${version}, this one knows ${newest})`,
      { hint: "run that newer formflag; the file was left as it is" },
    );
  }
  return version;
}
