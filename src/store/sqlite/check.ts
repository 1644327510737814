import { type Database, SQLiteError } from "bun:sqlite";
import { query } from "./statements.ts";

type Violation = { table: string; rowid: number | null; parent: string };

/** What `PRAGMA integrity_check` and `foreign_key_check` find (https://www.sqlite.org/pragma.html), in words. */
export function checkDatabase(db: Database): string[] {
  const broken = checkPages(db);
  if (broken.length > 0) return broken;
  return query<Violation, []>(db, "PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to one of ${parent} that is missing`);
}

function checkPages(db: Database): string[] {
  try {
    const found = query<{ integrity_check: string }, []>(db, "PRAGMA integrity_check").all();
    return found.map((row) => row.integrity_check).filter((text) => text !== "ok");
  } catch (error) {
    // So damaged that it cannot be looked through.
    if (error instanceof SQLiteError && error.code === "SQLITE_CORRUPT") return [error.message];
    throw error;
  }
}
