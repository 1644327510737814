import { describe, expect, test } from "bun:test";
import { countMatching } from "../../../src/forms/inbox/bulk.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { importSubmissions } from "../../../src/forms/transfer/import.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { eventually } from "../../support/eventually.ts";
import { IS_POSTGRES_HERE, databaseOf, execute, freshDatabase } from "../../support/postgres/postgres.ts";
import { nextId } from "../../support/records/records.ts";
import { openReplicas } from "../../support/postgres/replicas.ts";

describe.if(IS_POSTGRES_HERE)("what a count on one replica covers", () => {
  test("is what an import on another has stored before the last submission, and not committed yet", async () => {
    const url = await freshDatabase();
    const [app] = await openReplicas(1, url);
    const form = await createForm(app!, OPERATOR, { slug: "contact" });
    const importing = createConnections(parseDatabaseUrl(url));
    const other = await createForm(app!, OPERATOR, { slug: "other" });
    const selection = { form: "contact", filter: { states: ["inbox"] as const }, upTo: null };
    let isCounted = false;
    const counting = Promise.withResolvers<ReturnType<typeof countMatching>>();
    await importing.transaction("", async (query) => {
      await query(
        `INSERT INTO submissions (id, form_id, data, created_at, state, unread)
         SELECT decode($1, 'hex'), id, '{}', 0, 0, 0 FROM forms WHERE key = $2`,
        [nextId().replaceAll("-", ""), form.key],
      );
      await importSubmissions(app!, OPERATOR, other.slug, '{"later":1}');
      const count = countMatching(app!, OPERATOR, selection).finally(() => (isCounted = true));
      counting.resolve(count);
      await eventually("a look at what is under way", async () => {
        const rows = await execute(
          `SELECT 1 FROM pg_stat_activity
           WHERE query LIKE '%pg_locks%' AND pid <> pg_backend_pid() AND datname = '${databaseOf(url)}'`,
        );
        return isCounted || rows.length > 0;
      });
    });
    expect(await counting.promise).toMatchObject({ total: 1 });
    await importing.close();
  });
});
