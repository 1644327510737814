import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Database, constants } from "bun:sqlite";
import { sqliteError } from "./errors.ts";
import { schemaVersion } from "./migrate.ts";

/** What a database file says of itself. */
export type Inspection = {
  /** Migrations it has seen; 0 for one that nothing was written to yet. */
  schema: number;
  /** When its newest submission came in, in milliseconds; null where it holds none. */
  newest: number | null;
  /** What a quick look at its structure found; empty where it is sound, or was not looked at. */
  damage: string[];
};

/**
 * Reads a database and leaves it, and the files beside it, as they are; it has to be there. Throws as opening it
 * does.
 */
export function inspectDatabase(file: string, { isQuick }: { isQuick: boolean }): Inspection {
  let db: Database | undefined;
  try {
    db = openUnchanged(file);
    const schema = schemaVersion(db, undefined, file);
    const newest =
      schema === 0 ? null : numberOf(db, "SELECT created_at FROM submissions ORDER BY seq DESC LIMIT 1");
    const found = isQuick ? db.query("PRAGMA quick_check").values().flat().map(String) : [];
    return { schema, newest, damage: found.filter((text) => text !== "ok") };
  } catch (error) {
    throw sqliteError(error, file);
  } finally {
    db?.close();
  }
}

/** A reader makes a WAL where there is none, and leaves it behind: unless it is told that nobody writes. */
export function openUnchanged(file: string): Database {
  if (existsSync(`${file}-wal`)) return new Database(file, { readonly: true, strict: true });
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  return new Database(`${pathToFileURL(file).href}?immutable=1`, flags);
}

function numberOf(db: Database, sql: string): number | null {
  const value = db.query(sql).values()[0]?.[0];
  return typeof value === "number" ? value : null;
}
