import type { Database } from "bun:sqlite";
import { query } from "./statements.ts";

/** Counts every change of what an operator sets up, which readers keep in memory. */
export function currentVersion(db: Database): number {
  return query<{ version: number }, []>(db, "SELECT version FROM setup_version").get()!.version;
}

export function setVersion(db: Database, version: number): void {
  query(db, "UPDATE setup_version SET version = $version").run({ version });
}
