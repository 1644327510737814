import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { migrateFile } from "../../src/store/sqlite/migrate.ts";
import { type SqliteStore, openSqliteStore } from "../../src/store/sqlite/store.ts";

let migrated: Uint8Array | undefined;

/** Writes a database that holds nothing into a directory and returns its path. Copying it takes a tenth of migrating it. */
export function newDatabase(directory: string): string {
  migrated ??= migrate();
  const file = join(directory, "formflag.db");
  writeFileSync(file, migrated, { mode: 0o600 });
  return file;
}

/** Opens the store in a file after its schema is brought up to date, as a command does. */
export function openMigrated(file: string, writing: "thread" | "inline" = "inline"): SqliteStore {
  migrateFile(file);
  return openSqliteStore(file, writing);
}

function migrate(): Uint8Array {
  const directory = mkdtempSync(join(tmpdir(), "formflag-migrated-"));
  try {
    const file = join(directory, "formflag.db");
    migrateFile(file);
    using db = new Database(file);
    return db.serialize();
  } finally {
    rmSync(directory, { recursive: true });
  }
}
