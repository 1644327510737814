import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { tempDirectory } from "./temp.ts";

let migrated: Uint8Array | undefined;

/** Writes a database that holds nothing into a directory and returns its path. Copying it takes a tenth of migrating it. */
export function newDatabase(directory: string): string {
  migrated ??= migrate();
  const file = join(directory, "formflag.db");
  writeFileSync(file, migrated, { mode: 0o600 });
  return file;
}

function migrate(): Uint8Array {
  const file = join(tempDirectory(), "formflag.db");
  const store = openSqliteStore(file, "inline");
  using db = new Database(file);
  const bytes = db.serialize();
  void store.close();
  return bytes;
}
