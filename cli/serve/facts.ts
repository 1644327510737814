import { resolve } from "node:path";
import { NO_BACKUPS, type ServerFacts } from "../../src/maintenance/status.ts";
import type { Storage } from "../../src/storage.ts";

/** The facts of data that no server runs on. */
export function factsOf({ data, shared }: Storage, version: string): ServerFacts {
  return {
    version,
    startedAt: null,
    address: null,
    dashboard: null,
    data: shared === null || shared.files.kind === "directory" ? resolve(data) : null,
    database:
      shared === null
        ? { kind: "sqlite", name: "formflag.db" }
        : { kind: "postgres", name: `${shared.database.database} on ${shared.database.host}` },
    backup: NO_BACKUPS,
  };
}
