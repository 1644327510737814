import { type Database, SQLiteError } from "bun:sqlite";
import { AppError } from "../../errors.ts";
import initial from "./migrations/0001-initial.sql" with { type: "text" };
import targeting from "./migrations/0002-targeting.sql" with { type: "text" };
import { query } from "./statements.ts";

/** How long a statement waits for another process's lock, in milliseconds. It blocks its thread. */
export const BUSY_TIMEOUT = 5000;

/** In order; the position, from 1, is the number in `user_version`. A migration that has landed never changes. */
const MIGRATIONS: readonly string[] = [initial, targeting];

/** "fflg": marks the file as ours (https://www.sqlite.org/fileformat.html, application ID). */
const APPLICATION_ID = 0x66666c67;

/**
 * Brings the schema up to date in one transaction. Throws `unsupported` for a database that a newer program wrote,
 * or another one.
 */
export function migrate(db: Database): void {
  // One view of the file: another process may be making it.
  const version = db.transaction(() => schemaVersion(db)).deferred();
  if (version === MIGRATIONS.length) return;
  useWal(db);
  db.transaction(() => {
    const version = schemaVersion(db);
    for (const sql of MIGRATIONS.slice(version)) db.run(sql);
    db.run(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  }).immediate();
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

/** The number of migrations the file has seen. Throws `unsupported` where it is none of ours, or a newer one. */
export function schemaVersion(db: Database, name = db.filename): number {
  const version = readNumber(db, "PRAGMA user_version");
  const application = readNumber(db, "PRAGMA application_id");
  const isEmpty = () => readNumber(db, "SELECT count(*) FROM sqlite_schema") === 0;
  if (application !== APPLICATION_ID && !(version === 0 && application === 0 && isEmpty())) {
    throw new AppError("unsupported", `${name} is a database of another program`, {
      hint: "give another directory with --data; the file was left as it is",
    });
  }
  if (version > MIGRATIONS.length) {
    throw new AppError(
      "unsupported",
      `${name} was written by a newer formflag (schema ${version}, this one knows ${MIGRATIONS.length})`,
      { hint: "run that newer formflag; the file was left as it is" },
    );
  }
  return version;
}

function readNumber(db: Database, sql: string): number {
  return Number(query<{ value: number }, []>(db, sql).values()[0]![0]);
}
