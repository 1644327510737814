import { afterAll, describe, expect, test } from "bun:test";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { runWork } from "../../../src/store/postgres/run.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { clearDeleted } from "../../../src/store/sql/submissions/removals.ts";
import { addForm, apply } from "../../support/records/apply.ts";
import { eventually } from "../../support/eventually.ts";
import { execute, freshDatabase, IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";

/** A deleted form without submissions, and a statement that inserts one into it, as a batch that began before does. */
async function deletedForm() {
  const url = await freshDatabase();
  const address = parseDatabaseUrl(url);
  const store = await openPostgresStore(address);
  const connections = createConnections(address);
  afterAll(() => Promise.all([store.close(), connections.close()]));
  const { slug, key } = await addForm(store, "form");
  await apply(store, { change: "deleteForm", project: "default", slug, key, onlyEmpty: false });
  const insert = `INSERT INTO submissions (id, form_id, data, created_at)
    SELECT '\\x00', id, '{}', 0 FROM forms RETURNING seq`;
  return { store, connections, insert, database: new URL(url).pathname.slice(1) };
}

describe.skipIf(!IS_POSTGRES_HERE)("a form that is removed", () => {
  test("stays while a submission of it is not committed", async () => {
    const { store, connections, insert, database } = await deletedForm();
    await connections.transaction("", async (query) => {
      await query(insert);
      expect(await store.submissions.clearDeleted(10)).toBeNull();
    });
    expect(await execute("SELECT 1 AS one FROM forms", { database })).toHaveLength(1);
    while (await store.submissions.clearDeleted(10));
    expect(await execute("SELECT 1 AS one FROM forms", { database })).toEqual([]);
  });

  test("takes no submission between the last look at them and its end", async () => {
    const { connections, insert, database } = await deletedForm();
    let inserted: Promise<unknown> | undefined;
    const waiting = `SELECT 1 AS one FROM pg_stat_activity WHERE datname = '${database}' AND wait_event_type = 'Lock'`;
    await connections.transaction("", (query) =>
      runWork(
        async (text, params) => {
          if (text.startsWith("DELETE FROM forms")) {
            inserted = connections.query("inserts", insert).then(
              () => "inserted",
              () => "refused",
            );
            await eventually("the insert to wait", async () => (await execute(waiting)).length > 0);
          }
          return query(text, params);
        },
        clearDeleted(function* () {}, 10),
      ),
    );
    expect(await inserted).toBe("refused");
  });
});
