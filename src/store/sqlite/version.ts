import type { Database } from "bun:sqlite";
import { query } from "./statements.ts";

/** The version of the setup, which grows with every change of it. */
export function currentVersion(db: Database): number {
  return query<{ version: number }, []>(db, "SELECT version FROM setup_version").get()!.version;
}

export function setVersion(db: Database, version: number): void {
  query(db, "UPDATE setup_version SET version = $version").run({ version });
}
