import { type Database, SQLiteError } from "bun:sqlite";
import { MIGRATIONS } from "./migrate.ts";
import { compareSchemas, readSchema, schemaAfter } from "./schema.ts";
import { query } from "./statements.ts";

/** References that a check reports. */
const MAX_VIOLATIONS = 100;

type Violation = { table: string; rowid: number | null; parent: string };

/** What is wrong with the pages, the schema and the references of a database of the current schema, in words. */
export function checkDatabase(db: Database): string[] {
  const broken = checkPages(db);
  return broken.length > 0 ? broken : [...checkSchema(db), ...checkReferences(db, MAX_VIOLATIONS)];
}

/** What `PRAGMA foreign_key_check` finds (https://www.sqlite.org/pragma.html), at most `limit` of it. */
export function checkReferences(db: Database, limit: number): string[] {
  return query<Violation, { limit: number }>(
    db,
    'SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT $limit',
  )
    .all({ limit })
    .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to one of ${parent} that is missing`);
}

/** Triggers and views of others run when formflag reads and writes; the statistics of ANALYZE only help it to. */
function checkSchema(db: Database): string[] {
  const found = readSchema(db).filter(
    ({ type, name }) => !(type === "table" && name.startsWith("sqlite_stat")),
  );
  const { own, foreign } = compareSchemas(found, schemaAfter(MIGRATIONS));
  return [...own, ...foreign];
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
