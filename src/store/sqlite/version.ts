import type { Database } from "bun:sqlite";
import { query } from "./statements.ts";

/** Counts a change to what an operator sets up, which readers keep in memory; returns the new version. */
export function nextVersion(db: Database): number {
  const sql = "UPDATE setup_version SET version = version + 1 RETURNING version";
  return query<{ version: number }, []>(db, sql).get()!.version;
}

export function currentVersion(db: Database): number {
  return query<{ version: number }, []>(db, "SELECT version FROM setup_version").get()!.version;
}
