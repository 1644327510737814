import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Database, SQLiteError } from "bun:sqlite";
import { giveToOwnerOf, isOnReadOnlyDisk } from "../../base/directory.ts";
import type { Notes } from "../../blobs/notes.ts";
import { sqliteError } from "./errors.ts";

/** Locks that are held. A connection that nothing refers to is closed with the next garbage collection. */
const held = new Set<Database>();

/**
 * Locks a file until the returned function is called or the process ends. Uses the lock of an SQLite database, because
 * it is the only lock of the runtime that a killed process cannot leave behind. On a disk that is mounted read-only there is
 * nothing to lock. Throws `unavailable` if another process holds the lock.
 */
export function holdLock(file: string): () => void {
  if (isOnReadOnlyDisk(dirname(file))) return () => {};
  try {
    const db = new Database(file, { create: true });
    // Longer than `isLocked` holds its read lock.
    db.run("PRAGMA busy_timeout = 200");
    db.run("PRAGMA journal_mode = MEMORY");
    db.run("BEGIN EXCLUSIVE");
    giveToOwnerOf(dirname(file), [file]);
    held.add(db);
    return () => {
      held.delete(db);
      db.close();
    };
  } catch (error) {
    throw sqliteError(error, file);
  }
}

/** Whether a process holds the lock of {@link holdLock} on a file. Does not change the file. */
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

/** Holds of uploaded files through a file lock, so that a killed process cannot leave one behind. */
export function holdsOf(file: string): Pick<Notes, "hold"> & { isHeld(): boolean } {
  return {
    async hold() {
      const release = holdLock(file);
      return { release: async () => release() };
    },
    isHeld: () => isLocked(file),
  };
}
