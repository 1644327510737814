import { existsSync } from "node:fs";
import { Database, SQLiteError } from "bun:sqlite";
import { sqliteError } from "./errors.ts";

/**
 * Holds a lock on a file until the function returned is called or the process ends, however it ends: SQLite's own
 * file locking is the one lock the runtime offers that a killed process cannot leave behind. Throws `unavailable`
 * where another process holds it.
 */
export function holdLock(file: string): () => void {
  try {
    const db = new Database(file, { create: true });
    // Outlasts a look by `isLocked`.
    db.run("PRAGMA busy_timeout = 200");
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    return () => db.close();
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/** Whether a process holds a lock that {@link holdLock} takes; leaves the file as it is. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  let db: Database | undefined;
  try {
    db = new Database(file, { readonly: true });
    db.run("PRAGMA schema_version");
    return false;
  } catch (error) {
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return true;
    throw sqliteError(error, file);
  } finally {
    db?.close();
  }
}
