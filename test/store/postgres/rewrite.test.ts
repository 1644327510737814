import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { eventually } from "../../support/eventually.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { rewriteTables } from "../../../src/store/postgres/rewrite.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { addForm } from "../../support/records/apply.ts";
import { fileKept, submissionTo } from "../../support/records/records.ts";
import { insertNoted } from "../../contracts/driver.ts";
import { reasonOf } from "../../support/refusals.ts";
import {
  databaseOf,
  IS_POSTGRES_HERE,
  emptyDatabase,
  execute,
  sharedPostgres,
} from "../../support/postgres/postgres.ts";

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
      await using stack = new AsyncDisposableStack();
      const { store, database } = await openEmpty(stack);
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
      expect(await filesWith("convert_to('purged', 'utf8')", database)).toEqual([]);
    },
  );

  test("leaves no hash of an idempotency key that was deleted, in no table, index or statistics", async () => {
    await using stack = new AsyncDisposableStack();
    const { store, database } = await openEmpty(stack);
    // What a transaction of another database that has begun to write could see is not kept for it.
    stack.defer(await transactionIn("postgres", "SELECT pg_current_xact_id()"));
    await hashThenDelete(database);
    await store.submissions.rewrite();
    expect(await filesWith(`decode('${HASH}', 'hex')`, database)).toEqual([]);
    const statistics = await execute("SELECT s::text AS text FROM pg_statistic s", { database });
    expect(statistics.map(({ text }) => String(text)).join(" ")).not.toContain(HASH);
  });

  test("waits for a transaction of the same database that sees what was deleted", async () => {
    await using stack = new AsyncDisposableStack();
    const { store, database } = await openEmpty(stack);
    const end = await transactionIn(database, "SELECT 1");
    await hashThenDelete(database);
    const rewritten = store.submissions.rewrite();
    await eventually("the rewrite looks for older transactions", async () => {
      const looks = await execute(
        `SELECT 1 FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid() AND query LIKE '%backend_xmin%'`,
      );
      return looks.length > 0;
    });
    await end();
    await rewritten;
    expect(await filesWith(`decode('${HASH}', 'hex')`, database)).toEqual([]);
  });

  test("is refused, before any table is locked, while such a transaction stays open", async () => {
    await using stack = new AsyncDisposableStack();
    const { url, database } = await openEmpty(stack);
    stack.defer(await transactionIn(database, "SELECT 1"));
    await hashThenDelete(database);
    const connections = createConnections(parseDatabaseUrl(url));
    stack.defer(() => connections.close());
    expect(await reasonOf(rewriteTables(connections, 0))).toBe("unavailable");
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

/** A store with our schema in a database of its own. */
async function openEmpty(stack: AsyncDisposableStack) {
  const url = await emptyDatabase();
  const store = await openPostgresStore(parseDatabaseUrl(url));
  stack.defer(() => store.close());
  return { url, store, database: databaseOf(url) };
}

const HASH = "c0ffee".padStart(64, "9");

async function hashThenDelete(database: string): Promise<void> {
  const insert = `INSERT INTO idempotency_keys (hash, content, submission, expires_at)
    SELECT sha256(n::text::bytea), decode('${HASH}', 'hex'), decode(md5(n::text), 'hex'), 1 FROM generate_series(1, 20) n`;
  for (const statement of [insert, "ANALYZE", "DELETE FROM idempotency_keys"])
    await execute(statement, { database });
}

/** Begins a transaction that stays open with its snapshot. Returns what ends it. */
async function transactionIn(database: string, statement: string): Promise<() => Promise<void>> {
  const sql = new SQL((await sharedPostgres()).url(database), { max: 1 });
  const connection = await sql.reserve();
  await connection.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await connection.unsafe(statement);
  return async () => {
    await connection.unsafe("COMMIT");
    await connection.release();
    await sql.close();
  };
}

/** The tables and indexes whose files on disk hold some bytes. */
async function filesWith(bytes: string, database: string): Promise<unknown[]> {
  await execute("CHECKPOINT", { database });
  const held = await execute(
    `SELECT relname FROM pg_class WHERE relkind IN ('r', 'i', 't') AND pg_relation_filepath(oid) IS NOT NULL
       AND position(${bytes} IN pg_read_binary_file(pg_relation_filepath(oid), true)) > 0`,
    { database },
  );
  return held.map(({ relname }) => relname);
}
