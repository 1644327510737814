import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Database, SQLiteError } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import { copyDatabase } from "./copy.ts";
import { sqliteError } from "./errors.ts";
import initial from "./migrations/0001-initial.sql" with { type: "text" };
import targeting from "./migrations/0002-targeting.sql" with { type: "text" };
import tokenPlaces from "./migrations/0003-token-places.sql" with { type: "text" };
import pageIndexes from "./migrations/0004-page-indexes.sql" with { type: "text" };
import looseFiles from "./migrations/0005-loose-files.sql" with { type: "text" };
import { readSchema } from "./schema.ts";
import { readNumber } from "./statements.ts";

/** How long a statement waits for another process's lock, in milliseconds. It blocks its thread. */
export const BUSY_TIMEOUT = 5000;

/** In order; the position, from 1, is the number in `user_version`. A migration that has landed never changes. */
export const MIGRATIONS: readonly string[] = [initial, targeting, tokenPlaces, pageIndexes, looseFiles];

/** "fflg": marks the file as ours (https://www.sqlite.org/fileformat.html, application ID). */
const APPLICATION_ID = 0x66666c67;

/** Keeps servers away from a database until the function it returns is called. Throws `unavailable` where one runs. */
export type Claim = () => () => void;

/**
 * Brings the schema up to date in one transaction, after a copy of a database that holds something was made beside it:
 * `formflag.db.before-2` is the file as it was before migration 2. Throws `unsupported` for a database that a newer
 * program wrote, or another one, and where a migration fails; the file is then as it was.
 */
export function migrate(db: Database, migrations = MIGRATIONS, claim?: Claim): void {
  // One view of the file: another process may be making it.
  const version = db.transaction(() => schemaVersion(db, migrations.length)).deferred();
  if (version === migrations.length) return;
  useWal(db);
  let release: (() => void) | undefined;
  const bringUpToDate = db.transaction(() => {
    // Another process may have been faster.
    const version = schemaVersion(db, migrations.length);
    if (version === migrations.length) return;
    // A new database has no server yet that expects another schema.
    if (version > 0) {
      release = claim?.();
      keepCopy(db, `${db.filename}.before-${version + 1}`);
    }
    applyMigrations(db, migrations, version);
  });
  try {
    bringUpToDate.immediate();
  } finally {
    release?.();
  }
}

function applyMigrations(db: Database, migrations: readonly string[], version: number): void {
  try {
    for (const sql of migrations.slice(version)) db.run(sql);
    db.run(`PRAGMA user_version = ${migrations.length}`);
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  } catch (error) {
    throw migrationError(error, db.filename, version, migrations.length);
  }
}

/** Durable before it has its name. */
function keepCopy(db: Database, file: string): void {
  const partial = `${file}.part`;
  rmSync(partial, { force: true });
  try {
    for (const _ of copyDatabase(db, partial, readSchema(db)));
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  // Windows has no such call for a folder.
  if (process.platform === "win32") return;
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function migrationError(error: unknown, file: string, from: number, to: number): unknown {
  // A full disk or a lock has words of its own.
  const known = sqliteError(error, file);
  if (known instanceof AppError || !(error instanceof Error)) return known;
  const message = `${file} could not be brought from schema ${from} to ${to}: ${error.message}`;
  return new AppError("unsupported", message, {
    hint: "the file was left as it is; go on with the formflag that wrote it",
    cause: error,
  });
}

/** Switches to WAL. Alone among the statements, that one does not wait while another process holds a lock. */
function useWal(db: Database): void {
  const deadline = Date.now() + BUSY_TIMEOUT;
  for (;;) {
    try {
      db.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY") || Date.now() > deadline)
        throw error;
      Bun.sleepSync(1 + Math.random() * 10);
    }
  }
}

/**
 * The number of migrations the file has seen, of those this program knows. Throws `unsupported` where it is none of
 * ours, or a newer one.
 */
export function schemaVersion(db: Database, newest = MIGRATIONS.length, name = db.filename): number {
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
