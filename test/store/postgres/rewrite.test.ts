import { describe, expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { addForm } from "../../support/records/apply.ts";
import { fileKept, submissionTo } from "../../support/records/records.ts";
import { insertNoted } from "../../contracts/driver.ts";
import { reasonOf } from "../../support/refusals.ts";
import { databaseOf, IS_POSTGRES_HERE, emptyDatabase, execute } from "../../support/postgres/postgres.ts";

describe.skipIf(!IS_POSTGRES_HERE)("a rewrite", () => {
  test("is refused for a role that PostgreSQL would not let rewrite anything", async () => {
    const url = await emptyDatabase();
    const database = databaseOf(url);
    const owner = await openPostgresStore(parseDatabaseUrl(url));
    await owner.submissions.rewrite();
    await owner.close();
    const role = `role_${database}`;
    await execute(`CREATE ROLE ${role} LOGIN`);
    await execute(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`, {
      database,
    });
    const address = parseDatabaseUrl(url.replace("postgres@", `${role}@`));
    await using stack = new AsyncDisposableStack();
    const store = await openPostgresStore(address, { migrate: "off" });
    stack.defer(() => store.close());
    expect(store.submissions.rewrite()).rejects.toMatchObject({
      code: "forbidden",
      reason: "purge-not-owner",
    });
  });

  test.each(["of which some are left", "of which none is left"])(
    "leaves nothing of what was deleted in the statistics of tables, %s",
    async (what) => {
      const url = await emptyDatabase();
      const database = databaseOf(url);
      await using stack = new AsyncDisposableStack();
      const store = await openPostgresStore(parseDatabaseUrl(url));
      stack.defer(() => store.close());
      const form = await addForm(store, "form");
      const gone = Array.from({ length: 20 }, (_, index) =>
        submissionTo(form.key, {
          data: '{"email":"purged@example.com"}',
          meta: '{"ip":"purged"}',
          files: [fileKept(`key.${index}`, "purged.pdf")],
        }),
      );
      const kept = Array.from({ length: what.includes("some") ? 20 : 0 }, () =>
        submissionTo(form.key, { data: '{"email":"kept@example.com"}' }),
      );
      for (const each of [...gone, ...kept]) await insertNoted(store, each);
      await store.submissions.updateIndex();
      await execute("ANALYZE", { database });
      const statistics = async () => {
        const rows = await execute("SELECT s::text AS text FROM pg_statistic s", { database });
        return rows.map((row) => String(row["text"])).join(" ");
      };
      expect(await statistics()).toContain("purged");
      const schema = `SELECT attrelid::regclass::text AS name, a::text AS detail
        FROM (SELECT attrelid, attnum, attname, atttypid, attcollation, attnotnull FROM pg_attribute) a
        JOIN pg_class ON oid = attrelid WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`;
      const before = await execute(schema, { database });

      await store.submissions.delete(gone.map(({ id }) => id));
      await store.submissions.rewrite();
      expect(await statistics()).not.toContain("purged");
      expect((await statistics()).includes("kept@example.com")).toBe(kept.length > 0);
      expect(await execute(schema, { database })).toEqual(before);
      // What a transaction of another database of the server may still see stays until it has ended.
      await eventually("the file holds no value", async () => {
        await execute("VACUUM (FULL) pg_statistic", { database });
        const [file] = await execute("SELECT pg_relation_filepath('pg_statistic') AS path", { database });
        await execute("CHECKPOINT", { database });
        const [bytes] = await execute(
          `SELECT position('purged'::bytea IN pg_read_binary_file('${String(file!["path"])}'))::text AS at`,
          { database },
        );
        return bytes!["at"] === "0";
      });
    },
  );

  test("leaves no hash of an idempotency key that was deleted, in no table, index or statistics", async () => {
    const url = await emptyDatabase();
    const database = databaseOf(url);
    await using stack = new AsyncDisposableStack();
    const store = await openPostgresStore(parseDatabaseUrl(url));
    stack.defer(() => store.close());
    const content = "c0ffee".padStart(64, "9");
    const insert = `INSERT INTO idempotency_keys (hash, content, submission, expires_at)
      SELECT sha256(n::text::bytea), decode('${content}', 'hex'), decode(md5(n::text), 'hex'), 1 FROM generate_series(1, 20) n`;
    await execute(insert, { database });
    await execute("ANALYZE", { database });
    await execute("DELETE FROM idempotency_keys", { database });
    await store.submissions.rewrite();
    await eventually("no file holds a hash", async () => {
      await execute("VACUUM (FULL) pg_statistic", { database });
      await execute("CHECKPOINT", { database });
      const left = await execute(
        `SELECT relname FROM pg_class WHERE relkind IN ('r', 'i', 't') AND relfilenode <> 0 AND
           position(decode('${content}', 'hex') IN pg_read_binary_file(pg_relation_filepath(oid), true)) > 0`,
        { database },
      );
      return left.length === 0;
    });
    const statistics = await execute("SELECT s::text AS text FROM pg_statistic s", { database });
    expect(statistics.map(({ text }) => String(text)).join(" ")).not.toContain(content);
  });

  test("has no time limit, and leaves that of other connections as it is", async () => {
    const connections = createConnections(parseDatabaseUrl(await emptyDatabase()));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => connections.close());
    const show = "SHOW statement_timeout";
    const alone = await connections.untimed((query) => query(show));
    expect(alone.rows).toEqual([{ statement_timeout: "0" }]);
    for (const pool of ["dump", "reads"] as const)
      expect((await connections.query(pool, show)).rows).toEqual([{ statement_timeout: "10s" }]);
  });

  test("is refused where no connection keeps its settings", async () => {
    const url = await emptyDatabase();
    const store = await openPostgresStore(parseDatabaseUrl(`${url}?prepare=false`));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => store.close());
    expect(await reasonOf(store.submissions.rewrite())).toBe("unsupported database-pooled");
  });
});
