import type { Database } from "bun:sqlite";

/** Counts a change to what an operator sets up, which readers keep in memory; returns the new version. */
export function nextVersion(db: Database): number {
  const sql = "UPDATE setup_version SET version = version + 1 RETURNING version";
  return db.query<{ version: number }, []>(sql).get()!.version;
}

export function currentVersion(db: Database): number {
  return db.query<{ version: number }, []>("SELECT version FROM setup_version").get()!.version;
}
