import { connectUnmigrated } from "./connection.ts";
import { schemaVersion } from "./schema-version.ts";
import { close, query } from "./statements.ts";

/** Whether any submission in a database has a file. Throws as `connect` does. */
export function refersToFiles(file: string): boolean {
  const db = connectUnmigrated(file);
  try {
    return schemaVersion(db) > 0 && query(db, "SELECT 1 FROM files LIMIT 1").get() !== null;
  } finally {
    close(db);
  }
}
