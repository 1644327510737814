import { describe, expect, test } from "bun:test";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { IS_POSTGRES_HERE, emptyDatabase, execute } from "../../support/postgres.ts";

describe.skipIf(!IS_POSTGRES_HERE)("a rewrite", () => {
  test("is refused for a role that PostgreSQL would not let rewrite anything", async () => {
    const url = await emptyDatabase();
    const database = new URL(url).pathname.slice(1);
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
    expect(store.submissions.rewrite()).rejects.toMatchObject({ code: "forbidden" });
  });
});
