import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { PORTABLE_TABLES, TABLE_NAMES, columnsOf } from "../../src/maintenance/tables.ts";
import { storedName } from "../../src/store/portable.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrate.ts";
import { isInternal } from "../../src/store/sqlite/schema.ts";

/** What no dump has: derived rows, who is signed in, and uploaded files that are about to be removed. */
const LEFT_OUT = new Set([
  "loose_files",
  "search_removals",
  "sessions",
  "sign_in_links",
  "submission_positions",
  "submission_search",
]);

/** How the column begins that a dump has in another way. */
const REPLACED = "submissions.seq ";

const TYPES = { text: "TEXT", integer: "INTEGER", bytes: "BLOB", uuid: "BLOB", submission: "INTEGER" };

const migrated = () => {
  const db = new Database(":memory:");
  for (const sql of MIGRATIONS) db.run(sql);
  return db;
};

type Column = { table: string; name: string; type: string };

const columnsIn = (db: Database) =>
  db
    .query<Column, []>(
      `SELECT s.name AS "table", c.name, c.type FROM sqlite_schema s JOIN pragma_table_info(s.name) c
       WHERE s.type = 'table' ORDER BY s.rowid, c.cid`,
    )
    .all()
    .filter(({ table }) => !isInternal(table) && !LEFT_OUT.has(table));

test("a dump has every column of the database, with its type", () => {
  const stored = columnsIn(migrated())
    .map(({ table, name, type }) => `${table}.${name} ${type}`)
    .filter((column) => !column.startsWith(REPLACED));
  const dumped = TABLE_NAMES.flatMap((table) =>
    columnsOf(table).map(([name, type]) => `${table}.${storedName(name, type)} ${TYPES[type]}`),
  );
  expect(dumped.toSorted()).toEqual(stored.toSorted());
});

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
