import { join } from "node:path";
import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { columnsOf } from "../../src/maintenance/tables.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrate.ts";
import { dumpSnapshot } from "../../src/store/sqlite/copies/snapshot.ts";
import { openMigrated } from "../support/database.ts";
import { NOW, nextId } from "../support/records/records.ts";
import { tempDirectory } from "../support/temp.ts";

/** A database as the second version of formflag left it, with a submission of one file. */
function openOld(file: string, id: string): void {
  const db = new Database(file);
  for (const sql of MIGRATIONS.slice(0, 4)) db.run(sql);
  db.run("PRAGMA user_version = 4");
  db.run("PRAGMA application_id = 0x66666c67");
  db.run(`INSERT INTO forms (id, slug, name, key, enabled, uploads, allowed_origins, blocked_senders, created_at, updated_at)
          VALUES (7, 'contact', 'Contact', 'key', 1, 1, '[]', '[]', ${NOW}, ${NOW})`);
  db.run(`INSERT INTO submissions (id, form_id, data, created_at) VALUES ('${id}', 7, '{"a":1}', ${NOW})`);
  db.run(
    `INSERT INTO files VALUES (1, 1, 'file', 'a.txt', 'text/plain', 3, '${"ab".repeat(32)}', '${id}.1')`,
  );
  db.close();
}

test("the database of an old archive gives rows as a current one does", async () => {
  const directory = tempDirectory();
  const id = nextId();
  openOld(join(directory, "old.db"), id);
  const store = openMigrated(join(directory, "new.db"), "inline");
  await store.fill(dumpSnapshot(join(directory, "old.db")));
  const { submissions } = await store.submissions.list("key", 10, null);
  expect(submissions).toMatchObject([{ id, data: { a: 1 }, state: "inbox", files: [{ name: "a.txt" }] }]);
  expect(await store.submissions.wrongCounts()).toEqual([]);
  for await (const { table, rows } of store.dump())
    expect({ table, width: rows[0]!.length }).toEqual({ table, width: columnsOf(table).length });
  await store.close();
});
