import { pathToFileURL } from "node:url";
import { Database, SQLiteError, constants } from "bun:sqlite";
import { checkReferences } from "./check.ts";
import { copyDatabase } from "./copy.ts";
import { sqliteError } from "./errors.ts";
import { MIGRATIONS, schemaVersion } from "./migrate.ts";
import { brokenColumns } from "./row-rules.ts";
import { hasSmallSchema } from "./schema-pages.ts";
import { type SchemaObject, compareSchemas, readSchema, schemaAfter, tablesIn } from "./schema.ts";
import { close, query } from "./statements.ts";

/** Bytes of a value in a row; the largest that formflag writes is a submission of 24 MB. */
const MAX_VALUE = 32 * 1024 * 1024;

/**
 * Copies the rows of a database that somebody else may have made into a new file, whose schema is that of our own
 * migrations: no SQL of the original is ever run. Returns what is wrong with the original, in words and at most `limit`
 * of it; the new file is then of no use. Throws `unsupported` where it is not a database of formflag, or a newer one.
 */
export async function adoptDatabase(
  file: string,
  into: string,
  { name, limit }: { name: string; limit: number },
): Promise<string[]> {
  let db: Database | undefined;
  try {
    if (!hasSmallSchema(file)) return ["its schema is not one that formflag creates"];
    db = openForeign(file);
    const version = schemaVersion(db, undefined, name);
    const schema = schemaAfter(MIGRATIONS.slice(0, version));
    const { own, foreign } = compareSchemas(readSchema(db), schema);
    const faults = [...own, ...foreign, ...findDamage(db)];
    if (version === 0) faults.push("it holds nothing");
    if (faults.length === 0) faults.push(...findLargeValues(db, schema));
    if (faults.length === 0) faults.push(...(await copyRows(db, into, schema, limit)));
    return faults.slice(0, limit);
  } catch (error) {
    throw sqliteError(error, name);
  } finally {
    if (db) close(db);
  }
}

/** As SQLite advises for files from elsewhere: https://www.sqlite.org/security.html */
function openForeign(file: string): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const db = new Database(`${pathToFileURL(file).href}?immutable=1`, flags);
  for (const pragma of ["trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"])
    db.run(`PRAGMA ${pragma}`);
  return db;
}

/** Only the first fault: SQLite goes on to read the rows of a broken tree, of which there may be no end. */
function findDamage(db: Database): string[] {
  const found = query<{ quick_check: string }, []>(db, "PRAGMA quick_check(1)").all();
  return found.map((row) => row.quick_check).filter((text) => text !== "ok");
}

/** Without reading them. */
function findLargeValues(db: Database, schema: SchemaObject[]): string[] {
  return tablesIn(schema).flatMap(({ name }) => {
    const { columnNames } = query(db, `SELECT * FROM "${name}"`);
    const large = columnNames.map((column) => `octet_length("${column}") > ${MAX_VALUE}`).join(" OR ");
    const found = query(db, `SELECT 1 FROM "${name}" WHERE ${large} LIMIT 1`).get();
    return found === null ? [] : [`a row of ${name} holds more than formflag stores in one`];
  });
}

/** Thrown to end the copy once enough is known to be wrong. */
class Enough extends Error {}

async function copyRows(
  db: Database,
  into: string,
  schema: SchemaObject[],
  limit: number,
): Promise<string[]> {
  const faults: string[] = [];
  const rows: Record<string, number> = {};
  const inspect: Parameters<typeof copyDatabase>[3] = (table, row) => {
    const place = `row ${(rows[table] = (rows[table] ?? 0) + 1)} of ${table}`;
    for (const column of brokenColumns(table, row))
      faults.push(`${place} has a ${column} that formflag never writes`);
    if (faults.length >= limit) throw new Enough();
  };
  try {
    for (const _ of copyDatabase(db, into, schema, inspect)) await Bun.sleep(0);
  } catch (error) {
    if (error instanceof Enough) return faults;
    // Rows that break a constraint of the schema, which its file would not let formflag write.
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT")) return [error.message];
    throw error;
  }
  return faults.length > 0 ? faults : findMismatches(into, limit);
}

/** What no single row shows. */
function findMismatches(file: string, limit: number): string[] {
  const db = new Database(file, { readonly: true });
  const holds = (sql: string) => query(db, `${sql} LIMIT 1`).get() !== null;
  try {
    const faults = checkReferences(db, limit);
    if (!holds("SELECT 1 FROM setup_version")) faults.push("setup_version is empty");
    const keys = `SELECT 1 FROM files JOIN submissions ON seq = submission_seq WHERE blob_key <> id || '.' || position`;
    if (holds(keys)) faults.push("a file is not named by its submission");
    if (holds("SELECT 1 FROM files GROUP BY submission_seq HAVING max(position) <> count(*)"))
      faults.push("the files of a submission are not numbered from 1");
    return faults;
  } finally {
    close(db);
  }
}
