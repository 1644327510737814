import { Database } from "bun:sqlite";
import { sqliteError } from "./errors.ts";

/**
 * Holds a lock on a file until the function returned is called or the process ends, however it ends: SQLite's own
 * file locking is the one lock the runtime offers that a killed process cannot leave behind. Throws `unavailable`
 * where another process holds it.
 */
export function holdLock(file: string): () => void {
  try {
    const db = new Database(file, { create: true });
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    return () => db.close();
  } catch (error) {
    throw sqliteError(error, file);
  }
}
