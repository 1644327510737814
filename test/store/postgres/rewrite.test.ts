import { describe, expect, test } from "bun:test";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { reasonOf } from "../../support/refusals.ts";
import { databaseOf, IS_POSTGRES_HERE, emptyDatabase, execute } from "../../support/postgres.ts";

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
