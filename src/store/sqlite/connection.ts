import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { sqliteError } from "./errors.ts";
import { BUSY_TIMEOUT, migrate } from "./migrate.ts";
import { close } from "./statements.ts";

/**
 * A connection to the database file, which is made where it does not exist and brought to the current schema; without
 * `create` it has to be there. Throws `unavailable`, `forbidden` or `unsupported` where it cannot be used.
 */
export function connect(file: string, { create = true } = {}): Database {
  let db: Database | undefined;
  try {
    if (create) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    db = new Database(file, { create, readwrite: true, strict: true });
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    migrate(db);
    db.run("PRAGMA synchronous = FULL");
    db.run("PRAGMA foreign_keys = ON");
    db.run("PRAGMA trusted_schema = OFF");
    return db;
  } catch (error) {
    if (db) close(db);
    throw sqliteError(error, file);
  }
}
