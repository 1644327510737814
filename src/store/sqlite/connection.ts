import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Database } from "bun:sqlite";
import { giveToOwnerOf, isOnReadOnlyDisk } from "../../base/directory.ts";
import { sqliteError } from "./errors.ts";
import { openUnchanged } from "./inspect.ts";
import { BUSY_TIMEOUT, isCurrentAtOnce } from "./schema-version.ts";
import { close } from "./statements.ts";

/** The database is new, or has an older schema: `migrateFile` brings it up to date. */
export class NotCurrent extends Error {}

/**
 * Connects to a database file with the current schema. Throws {@link NotCurrent} for any other, and `unavailable`,
 * `forbidden` or `unsupported` if the file cannot be used.
 */
export function connect(file: string): Database {
  if (!existsSync(file)) throw new NotCurrent(`${file} does not exist`);
  return open(file, false, (db) => {
    if (!isCurrentAtOnce(db)) throw new NotCurrent(`${file} is not migrated`);
  });
}

/** Connects to an existing database without changing its schema. Throws like {@link connect}. */
export function connectUnmigrated(file: string): Database {
  return open(file, false, () => {});
}

function createDirectory(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/**
 * Connects to a database file once `prepare` has returned; with `create`, a missing file is created. On a disk that is mounted
 * read-only, the connection only reads. Throws as `connect` does.
 */
export function open(file: string, create: boolean, prepare: (db: Database) => void): Database {
  if (create) createDirectory(file);
  let db: Database | undefined;
  try {
    db = isOnReadOnlyDisk(file)
      ? openUnchanged(file)
      : new Database(file, { create, readwrite: true, strict: true });
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    db.run("PRAGMA trusted_schema = OFF");
    if (create) giveToOwnerOf(dirname(file), [file]);
    prepare(db);
    db.run("PRAGMA synchronous = FULL");
    db.run("PRAGMA foreign_keys = ON");
    // Deleted rows are overwritten, which takes no more time: the pages are written anyway.
    db.run("PRAGMA secure_delete = ON");
    return db;
  } catch (error) {
    if (db) close(db);
    throw sqliteError(error, file);
  }
}
