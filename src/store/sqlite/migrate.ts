import { clock } from "../../base/clock.ts";
import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Database, SQLiteError } from "bun:sqlite";
import { syncDirectoryNow } from "../../base/directory.ts";
import { AppError } from "../../base/errors.ts";
import { packedMigrations } from "../migration-files.ts" with { type: "macro" };
import { unpackMigrations } from "../packed-migrations.ts";
import { open } from "./connection.ts";
import { copyDatabase } from "./copies/copy.ts";
import { sqliteError } from "./errors.ts";
import { schemaIn } from "./new-database.ts" with { type: "macro" };
import { type SchemaObject, readSchema } from "./schema.ts";
import { close, readNumber } from "./statements.ts";
import {
  APPLICATION_ID,
  BUSY_TIMEOUT,
  isCurrent,
  isCurrentAtOnce,
  lacksIndex,
  NEWEST_SCHEMA,
  SEARCH_SCHEMA,
  schemaVersion,
} from "./schema-version.ts";

/** The migrations in order: after the first n, `user_version` is n. A released migration never changes. */
export const MIGRATIONS: readonly string[] = unpackMigrations(packedMigrations("sqlite/migrations"));

/** The schema after all of them, as SQL for an empty database. */
const NEW_DATABASE: string = schemaIn("sqlite/migrations");

/** The SQL that makes a schema in an empty database. */
function creating(version: number): readonly string[] {
  return version === NEWEST_SCHEMA ? [NEW_DATABASE] : MIGRATIONS.slice(0, version);
}

/** The objects of a schema in a new database; by default of the newest. */
export function schemaOf(version = NEWEST_SCHEMA): SchemaObject[] {
  const db = new Database(":memory:");
  try {
    for (const sql of creating(version)) db.run(sql);
    return readSchema(db);
  } finally {
    db.close();
  }
}

/**
 * Prevents servers from opening a database, which is to be migrated from a schema to another, until the function returned is
 * called. Throws `unavailable` if one runs.
 */
export type Claim = (from: number, to: number) => () => void;

/** A migration that was made: from a schema to another, with the copy of the database before it. */
export type Migrated = { from: number; to: number; copy: string };

/**
 * Migrates a database file to the current schema. A missing file is created unless `create` is false. An existing database
 * is migrated only once `claim` has returned. Returns what was migrated; null for a current or new one. Throws as `connect`
 * does.
 */
export function migrateFile(
  file: string,
  options: { create?: boolean; claim?: Claim } = {},
): Migrated | null {
  const { create = true, claim } = options;
  let migrated: Migrated | null = null;
  close(open(file, create, (db) => void (migrated = migrate(db, undefined, claim))));
  return migrated;
}

/**
 * Migrates the schema in one transaction; `migrations` is for tests. A database that is not empty is first copied
 * beside itself: `formflag.db.before-2` is the file before migration 2. Throws `unsupported` for a database of a newer
 * formflag or of another program, and if a migration fails; the file is then unchanged.
 */
export function migrate(db: Database, migrations?: readonly string[], claim?: Claim): Migrated | null {
  const newest = migrations?.length ?? NEWEST_SCHEMA;
  let migrated: Migrated | null = null;
  if (isCurrentAtOnce(db, newest)) return migrated;
  useWal(db);
  let release: (() => void) | undefined;
  const bringUpToDate = db.transaction(() => {
    // Another process may have migrated it.
    if (isCurrent(db, newest)) return;
    const version = schemaVersion(db, newest);
    // An empty database has no server that expects an older schema.
    if (version > 0 && version < newest) {
      release = claim?.(version, newest);
      const copy = `${db.filename}.before-${version + 1}`;
      keepCopy(db, copy);
      migrated = { from: version, to: newest, copy };
    }
    const isNew = version === 0 && migrations === undefined;
    applyMigrations(db, isNew ? [NEW_DATABASE] : (migrations ?? MIGRATIONS).slice(version), version, newest);
  });
  try {
    bringUpToDate.immediate();
  } finally {
    release?.();
  }
  return migrated;
}

function applyMigrations(db: Database, steps: readonly string[], version: number, newest: number): void {
  // A table that is made again would take the rows with it that refer to it.
  if (readNumber(db, "PRAGMA foreign_keys") !== 0)
    throw new Error("a database is migrated before its foreign keys are on");
  try {
    if (lacksIndex(db)) db.run(MIGRATIONS[SEARCH_SCHEMA - 1]!);
    for (const sql of steps) db.run(sql);
    db.run(`PRAGMA user_version = ${newest}`);
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  } catch (error) {
    throw migrationError(error, db.filename, version, newest);
  }
}

/** Copies a database to a file, which gets its name only once it is complete and durable. */
function keepCopy(db: Database, file: string): void {
  const partial = `${file}.part`;
  rmSync(partial, { force: true });
  try {
    for (const _ of copyDatabase(db, partial, readSchema(db)));
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  syncDirectoryNow(dirname(file));
}

function migrationError(error: unknown, file: string, from: number, to: number): unknown {
  // Errors such as a full disk or a lock have messages of their own.
  const known = sqliteError(error, file);
  if (known instanceof AppError || !(error instanceof Error)) return known;
  const message = `${file} could not be migrated from schema ${from} to ${to}: ${error.message}`;
  return new AppError("unsupported", message, {
    hint: "the file was left as it is; go on with the formflag that wrote it",
    cause: error,
  });
}

/** Switches to WAL, with retries: the busy timeout does not apply to this statement. */
function useWal(db: Database): void {
  const deadline = clock.steady() + BUSY_TIMEOUT;
  for (;;) {
    try {
      db.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY") || clock.steady() > deadline)
        throw error;
      Bun.sleepSync(1 + clock.fraction() * 10);
    }
  }
}
