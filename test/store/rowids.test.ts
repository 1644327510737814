import { join } from "node:path";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { PORTABLE_TABLES } from "../../src/maintenance/tables.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite/migrate.ts";
import { openMigrated } from "../support/database.ts";
import { tempDirectory } from "../support/temp.ts";

const databaseAfter = (migrations: readonly string[]) => {
  const db = new Database(join(tempDirectory(), "formflag.db"), { create: true });
  migrate(db, migrations);
  return db;
};

test("no table without a rowid has a column for large texts, which a search by key would read", () => {
  using db = databaseAfter(MIGRATIONS);
  const rows = db.query<{ name: string }, []>("SELECT name FROM pragma_table_list WHERE wr = 1").all();
  const without = new Set(rows.map(({ name }) => name));
  const large = Object.entries(PORTABLE_TABLES).flatMap(([table, { columns }]) =>
    Object.entries<string>(columns)
      .filter(([, column]) => /^text\??( json| object| previewContent)/.test(column))
      .map(([column]) => ({ table, column })),
  );
  expect(large).toContainEqual({ table: "flag_values", column: "payload" });
  // The metadata of feedback has at most 16 KiB.
  expect(large.filter(({ table }) => without.has(table))).toEqual([
    { table: "flag_feedback", column: "metadata" },
  ]);
});

test("what the schema before the rowids held is kept", async () => {
  const db = databaseAfter(MIGRATIONS.slice(0, 15));
  for (const sql of [
    "INSERT INTO projects (id, slug, name, key, created_at) VALUES (1, 'web', 'Web', 'pk', 1)",
    `INSERT INTO environments (id, project_id, slug, name, key, created_at, revision)
     VALUES (4, 1, 'production', 'Production', 'ek', 1, 1)`,
    "INSERT INTO flags (id, project_id, slug, description, created_at, updated_at) VALUES (7, 1, 'f', '', 1, 1)",
    `INSERT INTO flag_values (environment_id, flag_id, enabled, payload, expires_at, updated_at, rules, imported, revision)
     VALUES (4, 7, 1, '[1]', 9, 8, NULL, 1, 3)`,
    `INSERT INTO flag_previews (environment_id, flag_id, enabled, name, content)
     VALUES (4, 7, 1, 'Soon', '# New')`,
    'INSERT INTO segments VALUES (4, \'adults\', \'{">=":[{"var":"age"},18]}\', 1, 2, 1, 1)',
    `INSERT INTO scheduled_changes (id, environment_id, flag, patch, at, who, created_at, why)
     VALUES ('${crypto.randomUUID()}', 4, 'f', '{"enabled":false}', 99, 'CLI', 1, 'ends')`,
  ])
    db.run(sql);
  const file = db.filename;
  db.close();
  const store = openMigrated(file);
  expect(await store.flags.find({ project: "web", environment: "production", flag: "f" })).toMatchObject({
    enabled: true,
    payload: "[1]",
    expiresAt: 9,
    updatedAt: 8,
    imported: true,
    revision: 3,
    isPreview: true,
    previewName: "Soon",
    previewContent: "# New",
  });
  expect(await store.segments.list("web", "production")).toMatchObject([{ name: "adults", revision: 2 }]);
  const { items } = await store.scheduled.page("web", "production", { limit: 10 });
  expect(items).toMatchObject([{ flag: "f", patch: { enabled: false }, at: 99, why: "ends" }]);
  await store.close();
});
