import { own } from "../../../base/shapes/own.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { Database, SQLiteError, constants } from "bun:sqlite";
import { MiB } from "../../../base/bytes.ts";
import { RULES, type Rule } from "../../../maintenance/column-rules.ts";
import { parseColumn, tableColumns } from "../../../maintenance/tables.ts";
import { checkReferences } from "../check.ts";
import { type Row, copyDatabase } from "./copy.ts";
import { sqliteError } from "../errors.ts";
import { schemaOf } from "../migrate.ts";
import { schemaVersion } from "../schema-version.ts";
import { type SchemaObject, compareSchemas, readSchema, tablesIn, withoutIndex } from "../schema.ts";
import { close, query } from "../statements.ts";
import { runWork } from "../run.ts";
import { recountSubmissions } from "../../sql/submissions/counts.ts";
import { closeSync, openSync, readSync } from "node:fs";

/** Most bytes of one value; the largest that formflag writes is a submission of 24 MB. */
const MAX_VALUE = 32 * MiB;

/**
 * Copies the rows of an untrusted database into a new file with the schema of our own migrations, so that no SQL of the
 * original ever runs. Returns at most `limit` problems of the original as messages; with a problem, do not use the new
 * file. Throws `unsupported` if the original is not a formflag database, or a newer one.
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
    const schema = schemaOf(version);
    const { own, foreign } = compareSchemas(readSchema(db), withoutIndex(schema));
    // The check would run the code of a foreign virtual table on whatever is stored behind it.
    const faults = [...own, ...foreign, ...(foreign.length > 0 ? [] : findDamage(db))];
    if (version === 0) faults.push("it is empty");
    if (faults.length === 0) faults.push(...findLargeValues(db, schema));
    if (faults.length === 0) faults.push(...(await copyRows(db, into, schema, limit)));
    return faults.slice(0, limit);
  } catch (error) {
    throw sqliteError(error, name);
  } finally {
    if (db) close(db);
  }
}

/** Follows the advice of SQLite for untrusted files: https://www.sqlite.org/security.html */
function openForeign(file: string): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const db = new Database(`${Bun.pathToFileURL(file).href}?immutable=1`, flags);
  for (const pragma of ["trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"])
    db.run(`PRAGMA ${pragma}`);
  return db;
}

/** Returns the first fault only: with more, SQLite goes on to read a broken tree, which may be endless. */
function findDamage(db: Database): string[] {
  const rows = query<{ quick_check: string }, []>(db, "PRAGMA quick_check(1)").all();
  return rows.map((row) => row.quick_check).filter((text) => text !== "ok");
}

/** Compares sizes alone: SQLite knows them without reading the values. */
function findLargeValues(db: Database, schema: SchemaObject[]): string[] {
  return tablesIn(schema).flatMap(({ name }) => {
    const { columnNames } = query(db, `SELECT * FROM "${name}"`);
    const large = columnNames.map((column) => `octet_length("${column}") > ${MAX_VALUE}`).join(" OR ");
    const row = query(db, `SELECT 1 FROM "${name}" WHERE ${large} LIMIT 1`).get();
    return row === null ? [] : [`a row of ${name} has a value larger than formflag writes`];
  });
}

/** Ends the copy once the limit of faults is reached. */
class LimitReached extends Error {}

async function copyRows(
  db: Database,
  into: string,
  schema: SchemaObject[],
  limit: number,
): Promise<string[]> {
  const faults: string[] = [];
  const rows: Record<string, number> = {};
  const rules = new Map(tablesIn(schema).map(({ name }) => [name, rulesOf(name)]));
  const inspect: Parameters<typeof copyDatabase>[3] = (table, row) => {
    const place = `row ${(rows[table] = (rows[table] ?? 0) + 1)} of ${table}`;
    for (const column of brokenColumns(rules.get(table)!, row))
      faults.push(`${place} has a ${column} that formflag never writes`);
    if (faults.length >= limit) throw new LimitReached();
  };
  try {
    for (const _ of copyDatabase(db, into, schema, inspect)) await yieldToEventLoop();
  } catch (error) {
    if (error instanceof LimitReached) return faults;
    // A row that violates a constraint of the schema was not written by formflag.
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_CONSTRAINT")) return [error.message];
    throw error;
  }
  if (faults.length > 0) return faults;
  if (schema.some(({ name }) => name === "submission_counts")) recount(into);
  return findMismatches(into, limit);
}

/** The rules of a table's columns. A column that may be null has a rule for other values. */
function rulesOf(table: string): [column: string, rule: Rule][] {
  return Object.entries(tableColumns(table) ?? {}).flatMap(([name, column]) => {
    const { rule, isNullable } = parseColumn(column);
    if (rule === undefined) return [];
    const holds: Rule = own(RULES as Record<string, Rule>, rule)!;
    return [[name, isNullable ? (value) => value === null || holds(value) : holds]];
  });
}

/** The columns of a row with a value that formflag never writes. */
function brokenColumns(rules: readonly [string, Rule][], row: Row): string[] {
  return rules.flatMap(([name, rule]) => (Object.hasOwn(row, name) && !rule(row[name]!) ? [name] : []));
}

/** Replaces the counts of the original, which follow from its rows. */
function recount(file: string): void {
  const db = new Database(file, { readwrite: true });
  try {
    runWork(db, recountSubmissions());
  } finally {
    close(db);
  }
}

/** The faults that show only when several rows are compared. */
function findMismatches(file: string, limit: number): string[] {
  const db = new Database(file, { readonly: true });
  const holds = (sql: string) => query(db, `${sql} LIMIT 1`).get() !== null;
  try {
    const faults = checkReferences(db, limit);
    if (!holds("SELECT 1 FROM setup_version")) faults.push("setup_version is empty");
    // A text with dashes up to schema 5, 16 bytes since.
    const digits = "iif(typeof(id) = 'blob', lower(hex(id)), replace(id, '-', ''))";
    const keys = `SELECT 1 FROM files JOIN submissions ON seq = submission_seq
                  WHERE replace(blob_key, '-', '') <> ${digits} || '.' || position`;
    if (holds(keys)) faults.push("a file is not named by its submission");
    if (holds("SELECT 1 FROM files GROUP BY submission_seq HAVING max(position) <> count(*)"))
      faults.push("the files of a submission are not numbered from 1");
    return faults;
  } finally {
    close(db);
  }
}

/** Limits of a schema; that of formflag takes three pages and 7 KB. */
const MAX_PAGES = 64;
const MAX_BYTES = MiB;

const [INTERIOR, LEAF] = [5, 13];

/**
 * Whether the pages of `sqlite_schema` in a file form a b-tree of modest size
 * (https://www.sqlite.org/fileformat2.html). SQLite reads the whole schema before the first statement. In a forged
 * backup, a few pages that refer to each other form an endless tree, which no limit of SQLite ends.
 */
function hasSmallSchema(file: string): boolean {
  const descriptor = openSync(file, "r");
  const read = (length: number, position: number) => {
    const bytes = Buffer.alloc(length);
    readSync(descriptor, bytes, 0, length, position);
    return bytes;
  };
  try {
    const size = read(100, 0).readUInt16BE(16);
    const pageSize = size === 1 ? 65_536 : size;
    const pages = [1];
    let bytes = 0;
    // The loop appends children to the list that it iterates, repeated ones too.
    for (const page of pages) {
      const tree = readPage(read(pageSize, (page - 1) * pageSize), page === 1 ? 100 : 0);
      pages.push(...tree.children);
      bytes += tree.bytes;
      if (pages.length > MAX_PAGES || bytes > MAX_BYTES) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The children of a b-tree page of a table, and the bytes of its rows. Throws a RangeError for any other page. */
function readPage(page: Buffer, start: number): { children: number[]; bytes: number } {
  const type = page.readUInt8(start);
  if (type !== INTERIOR && type !== LEAF) throw new RangeError(`a page of type ${type}`);
  const first = start + (type === INTERIOR ? 12 : 8);
  const cells = Array.from({ length: page.readUInt16BE(start + 3) }, (_, index) =>
    page.readUInt16BE(first + 2 * index),
  );
  if (type === LEAF) return { children: [], bytes: cells.reduce((sum, cell) => sum + sizeAt(page, cell), 0) };
  return { children: [...cells, start + 8].map((cell) => page.readUInt32BE(cell)), bytes: 0 };
}

/** A varint of up to three bytes; a longer one exceeds `MAX_BYTES` and is Infinity. */
function sizeAt(page: Buffer, at: number): number {
  let size = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = page.readUInt8(at + index);
    size = size * 128 + (byte & 0x7f);
    if (byte < 0x80) return size;
  }
  return Infinity;
}
