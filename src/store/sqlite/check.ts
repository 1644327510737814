import { type Database, SQLiteError } from "bun:sqlite";
import { schemaOf } from "./migrate.ts";
import { compareSchemas, readSchema } from "./schema.ts";
import { query } from "./statements.ts";

/** References that a check reports. */
const MAX_VIOLATIONS = 100;

type Violation = { table: string; rowid: number | null; parent: string };

/** Problems of the pages, the schema and the references of a database with the current schema, as messages. */
export function checkDatabase(db: Database): string[] {
  const broken = checkPages(db);
  return broken.length > 0 ? broken : [...checkSchema(db), ...checkReferences(db, MAX_VIOLATIONS)];
}

/** At most `limit` violations that `PRAGMA foreign_key_check` reports (https://www.sqlite.org/pragma.html). */
export function checkReferences(db: Database, limit: number): string[] {
  return query<Violation, { limit: number }>(
    db,
    'SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT $limit',
  )
    .all({ limit })
    .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to one of ${parent} that is missing`);
}

/** Tables that hold statistics of ANALYZE, or that Litestream keeps in a database that it copies. */
const HARMLESS = /^(sqlite_stat|_litestream_)/;

/** Reports foreign triggers and views, which run when formflag reads and writes. */
function checkSchema(db: Database): string[] {
  const schema = readSchema(db).filter(({ type, name }) => !(type === "table" && HARMLESS.test(name)));
  const { own, foreign } = compareSchemas(schema, schemaOf());
  return [...own, ...foreign];
}

function checkPages(db: Database): string[] {
  try {
    const rows = query<{ integrity_check: string }, []>(db, "PRAGMA integrity_check").all();
    return rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
  } catch (error) {
    // The damage prevents the check itself.
    if (error instanceof SQLiteError && error.code === "SQLITE_CORRUPT") return [error.message];
    throw error;
  }
}
