import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Database } from "bun:sqlite";
import { sqliteError } from "./errors.ts";
import { BUSY_TIMEOUT, type Claim, migrate } from "./migrate.ts";
import { close } from "./statements.ts";

/**
 * Connects to a database file and migrates it to the current schema. With `create`, a missing file is created. An existing
 * database is migrated only once `claim` has returned. Throws `unavailable`,
 * `forbidden` or `unsupported` if the file cannot be used.
 */
export function connect(
  file: string,
  { create = true, claim }: { create?: boolean; claim?: Claim } = {},
): Database {
  if (create) createDirectory(file);
  return open(file, create, (db) => migrate(db, undefined, claim));
}

/** Connects to an existing database and leaves its schema as it is. Throws as {@link connect} does. */
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

function open(file: string, create: boolean, prepare: (db: Database) => void): Database {
  let db: Database | undefined;
  try {
    db = new Database(file, { create, readwrite: true, strict: true });
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    db.run("PRAGMA trusted_schema = OFF");
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
