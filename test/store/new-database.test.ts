import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrationsIn } from "../../src/store/migration-files.ts";
import { schemaIn } from "../../src/store/sqlite/new-database.ts";
import { isInternal, readSchema } from "../../src/store/sqlite/schema.ts";

const FOLDER = "sqlite/migrations";

/** The objects of a database in their order, and the rows of its tables. */
function contentAfter(statements: readonly string[]) {
  using db = new Database(":memory:");
  for (const sql of statements) db.run(sql);
  const objects = readSchema(db);
  const tables = objects.filter(({ type, sql }) => type === "table" && sql?.startsWith("CREATE TABLE"));
  return {
    objects: objects.filter(({ name }) => !isInternal(name)),
    behind: objects
      .filter(({ name }) => isInternal(name))
      .map(({ name }) => name)
      .toSorted(),
    rows: tables.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).values()]),
  };
}

test("a new database gets the objects and rows that the migrations make one after another, in the same order", () => {
  const { rows, ...made } = contentAfter([schemaIn(FOLDER)]);
  const { rows: expected, ...migrated } = contentAfter(migrationsIn(FOLDER));
  expect(made).toEqual(migrated);
  expect(new Map(rows as [string, unknown][])).toEqual(new Map(expected as [string, unknown][]));
  expect(rows.filter(([, values]) => values!.length > 0)).toContainEqual(["setup_version", [[1, 0, 0]]]);
});
