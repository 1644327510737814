import { dirname } from "node:path";
import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import { BUSY_TIMEOUT } from "./schema-version.ts";
import { query } from "./statements.ts";

/** Milliseconds that readers of the old state are waited for. A read of a server takes less, a backup longer than any wait. */
const READERS_MS = 1000;

/**
 * Rewrites the database file and empties the write-ahead log. `secure_delete` overwrites deleted rows, but not copies
 * that remain when SQLite moves rows between pages, and not rows that older versions have deleted. Throws `unavailable`
 * if a reader of the old state has not ended.
 */
export function rewriteFile(db: Database): void {
  // The default directory may be too small, or not writable, as in a container.
  db.run(`PRAGMA temp_store_directory = '${dirname(db.filename).replaceAll("'", "''")}'`);
  db.run("VACUUM");
  if (emptyLog(db)) return;
  throw new AppError("unavailable", "a process, such as a backup, is still reading its old state", {
    reason: "database-read",
  });
}

/** Returns whether no reader prevented it. */
function emptyLog(db: Database): boolean {
  db.run(`PRAGMA busy_timeout = ${READERS_MS}`);
  try {
    return query<{ busy: number }, []>(db, "PRAGMA wal_checkpoint(TRUNCATE)").get()!.busy === 0;
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  }
}
