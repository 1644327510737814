import type { Database } from "bun:sqlite";
import { sqliteTablesOf } from "../../maintenance/tables.ts";
import { query } from "./statements.ts";

/** A row of `sqlite_schema` (https://www.sqlite.org/schematab.html); an index that a constraint implies has no SQL. */
export type SchemaObject = { type: string; name: string; tbl_name: string; sql: string | null };

/** The objects of a schema, in the order in which they were created. */
export function readSchema(db: Database): SchemaObject[] {
  return query<SchemaObject, []>(
    db,
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid",
  ).all();
}

/** The tables of the search index. They are derived from other tables, and no copy has their rows. */
export const INDEX_TABLES = sqliteTablesOf("search");

/** Whether an object is internal to SQLite, such as the statistics of ANALYZE and the tables behind the search index. */
export function isInternal(name: string): boolean {
  return name.startsWith("sqlite_") || isBehindIndex(name);
}

function isBehindIndex(name: string): boolean {
  return name.startsWith("submission_search_");
}

/** A schema without the search index, as a backup has it. */
export function withoutIndex(schema: SchemaObject[]): SchemaObject[] {
  return schema.filter(({ tbl_name }) => !INDEX_TABLES.has(tbl_name) && !isBehindIndex(tbl_name));
}

/**
 * The tables whose rows no copy has: of signed-in users, so that a backup signs no user in, and tables derived from other
 * rows.
 */
const LEFT_OUT = new Set([...sqliteTablesOf("sign-in"), ...sqliteTablesOf("derived")]);

/** The tables with rows that a copy takes. */
export function tablesIn(schema: SchemaObject[]): SchemaObject[] {
  return schema.filter(
    ({ type, name }) =>
      type === "table" && !isInternal(name) && !INDEX_TABLES.has(name) && !LEFT_OUT.has(name),
  );
}

/** The differences from the expected schema, as messages: `own` for missing or altered objects, `foreign` for extra ones. */
export function compareSchemas(
  found: SchemaObject[],
  expected: SchemaObject[],
): { own: string[]; foreign: string[] } {
  const nameOf = ({ type, name }: SchemaObject) => `the ${type} ${JSON.stringify(name)}`;
  const textOf = ({ type, name, tbl_name, sql }: SchemaObject) => JSON.stringify([type, name, tbl_name, sql]);
  const present = new Map(found.map((object) => [nameOf(object), textOf(object)]));
  // SQLite derives its internal objects from the others.
  const own = expected
    .filter(({ name }) => !isInternal(name))
    .flatMap((object) => {
      const text = present.get(nameOf(object));
      if (text === undefined) return [`${nameOf(object)} is missing`];
      return text === textOf(object) ? [] : [`${nameOf(object)} is not as formflag creates it`];
    });
  const names = new Set(expected.map(nameOf));
  const foreign = found.filter((object) => !names.has(nameOf(object)));
  return { own, foreign: foreign.map((object) => `${nameOf(object)} does not belong to formflag`) };
}
