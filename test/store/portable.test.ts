import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  OTHER_TABLES,
  PORTABLE_TABLES,
  TABLE_NAMES,
  columnsOf,
  parseColumn,
  tableColumns,
} from "../../src/maintenance/tables.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrate.ts";
import { isInternal } from "../../src/store/sqlite/schema.ts";
import { IS_POSTGRES_HERE, databaseOf, execute, freshDatabase } from "../support/postgres/postgres.ts";

const STORED = {
  sqlite: {
    text: "TEXT",
    integer: "INTEGER",
    bytes: "BLOB",
    uuid: "BLOB",
    submission: "INTEGER",
    row: "INTEGER",
  },
  postgres: { text: "text", integer: "int", bytes: "bytea", uuid: "bytea", submission: "int", row: "int" },
};

/** Columns that only PostgreSQL has, and what only one database keeps for itself. */
const OWN = new Set([
  "setup_version.stamps",
  "submissions.indexed",
  "submission_search.terms",
  "submission_terms.terms",
]);

const migrated = () => {
  const db = new Database(":memory:");
  for (const sql of MIGRATIONS) db.run(sql);
  return db;
};

type Stored = { table: string; name: string; type: string; nullable: boolean };

/** Every column, as the tables declare it for a database. */
function declared(database: "sqlite" | "postgres"): string[] {
  const names = [...TABLE_NAMES, ...Object.keys(OTHER_TABLES)];
  return names
    .filter((table) => [undefined, database].includes(OTHER_TABLES[table]?.only))
    .flatMap((table) =>
      Object.entries(tableColumns(table)!).map(([name, column]) => {
        const { type, isNullable } = parseColumn(column);
        const stored = type === "submission" ? `${name}_seq` : name;
        return `${table}.${stored} ${STORED[database][type]}${isNullable ? "?" : ""}`;
      }),
    )
    .toSorted();
}

const found = (columns: Stored[]) =>
  columns
    .filter(({ table, name }) => !OWN.has(`${table}.${name}`))
    .map(({ table, name, type, nullable }) => `${table}.${name} ${type}${nullable ? "?" : ""}`)
    .toSorted();

test("the migrations of SQLite end in exactly these tables and columns", () => {
  const columns = migrated()
    .query<Omit<Stored, "nullable"> & { nullable: number }, []>(
      `SELECT s.name AS "table", c.name, c.type, c."notnull" = 0 AND c.pk = 0 AS nullable
       FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE s.type = 'table'`,
    )
    .all()
    .filter(({ table }) => !isInternal(table));
  expect(found(columns.map((column) => ({ ...column, nullable: column.nullable === 1 })))).toEqual(
    declared("sqlite"),
  );
});

test.skipIf(!IS_POSTGRES_HERE)(
  "the migrations of PostgreSQL end in exactly these tables and columns",
  async () => {
    const columns = await execute(
      `SELECT table_name AS "table", column_name AS name, is_nullable = 'YES' AS nullable,
       CASE WHEN data_type IN ('bigint', 'integer') THEN 'int' ELSE data_type END AS type
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'formflag_meta'`,
      { database: databaseOf(await freshDatabase()) },
    );
    expect(found(columns as Stored[])).toEqual(declared("postgres"));
  },
);

test("a dump has parents before their children", () => {
  const db = migrated();
  for (const [index, table] of TABLE_NAMES.entries()) {
    const parents = db.query<{ table: string }, []>(`PRAGMA foreign_key_list("${table}")`).all();
    const later = parents.filter((parent) => TABLE_NAMES.indexOf(parent.table as never) >= index);
    expect({ table, later }).toEqual({ table, later: [] });
  }
});

test("a dump has the stages of a move one after another", () => {
  const stages = TABLE_NAMES.map((table) => PORTABLE_TABLES[table].stage);
  expect(stages.filter((stage, index) => stage !== stages[index - 1])).toEqual([
    "setup",
    "submissions",
    "trail",
  ]);
});

test("the rows of a table are told apart by their key", () => {
  for (const table of TABLE_NAMES) {
    const names = new Set(columnsOf(table).map(([name]) => name));
    expect({ table, key: PORTABLE_TABLES[table].key.filter((name) => !names.has(name)) }).toEqual({
      table,
      key: [],
    });
  }
});
