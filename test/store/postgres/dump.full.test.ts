import { afterAll, describe, expect, test } from "bun:test";
import type { Batch } from "../../../src/maintenance/store.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { type PostgresStore, openPostgresStore } from "../../../src/store/postgres/store.ts";
import { addForm, addProject } from "../../support/records/apply.ts";
import { execute, freshDatabase, IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { submissionTo } from "../../support/records/records.ts";
import { codeOf, reasonOf } from "../../support/refusals.ts";

const opened: PostgresStore[] = [];
afterAll(() => Promise.all(opened.map((store) => store.close())));

async function open(url: string, opensTarget = false, onMoving = () => {}): Promise<PostgresStore> {
  const store = await openPostgresStore(parseDatabaseUrl(url), { opensTarget, onMoving });
  opened.push(store);
  return store;
}

/** A store, and a function that runs a statement in its database as the superuser. */
async function openFresh() {
  const url = await freshDatabase();
  const database = new URL(url).pathname.slice(1);
  return { url, store: await open(url), run: (sql: string) => execute(sql, { database }) };
}

describe.skipIf(!IS_POSTGRES_HERE)("a dump of PostgreSQL", () => {
  test("is one transaction, which ends once its reader turns away", async () => {
    const { store, run } = await openFresh();
    await addForm(store, "form");
    for await (const _ of store.dump()) {
      const [row] = await run(
        "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
      );
      expect(Number(row!["count"])).toBe(1);
      break;
    }
    const [after] = await run(
      "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
    );
    expect(Number(after!["count"])).toBe(0);
  });

  test("ends with unavailable where its connection is lost, and the next one begins anew", async () => {
    const { store, run } = await openFresh();
    const { key } = await addForm(store, "form");
    for (let count = 0; count < 3; count += 1)
      await store.submissions.insert(
        submissionTo(key, { data: JSON.stringify({ a: "x".repeat(3_000_000) }) }),
      );
    const seen: Batch[] = [];
    const read = async () => {
      for await (const batch of store.dump()) {
        seen.push(batch);
        await run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
        );
      }
    };
    expect(await codeOf(read())).toBe("unavailable");
    expect(seen).toHaveLength(1);
    const again = await Array.fromAsync(store.dump());
    expect(again.filter(({ table }) => table === "submissions").flatMap(({ rows }) => rows)).toHaveLength(3);
  });

  test("fills nothing where the connection is lost", async () => {
    const [source, target] = [await openFresh(), await openFresh()];
    await addForm(source.store, "form");
    const dump = async function* () {
      for await (const batch of source.store.dump()) {
        yield batch;
        await target.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
        );
      }
    };
    expect(await codeOf(target.store.fill(dump()))).toBe("unavailable");
    expect(await target.store.forms.list()).toEqual([]);
    await target.store.fill(source.store.dump());
    expect(await target.store.forms.list()).toMatchObject([{ slug: "form" }]);
  });

  test("keeps others from a target until it is released", async () => {
    const { url, store } = await openFresh();
    let told = 0;
    const running = await open(url, false, () => (told += 1));
    await running.readVersion();
    expect(told).toBe(0);
    await (await store.moving()).begin();
    await running.readVersion();
    expect(told).toBe(1);
    expect(await reasonOf(running.submissions.insert(submissionTo("key")))).toBe(
      "unavailable database-moving",
    );
    expect(await reasonOf(addForm(running, "form"))).toBe("unavailable database-moving");
    expect(await reasonOf(open(url))).toBe("unavailable database-moving");
    const again = await open(url, true);
    await (await again.moving()).begin();
    await (await again.moving()).release();
    expect(await (await open(url)).forms.list()).toEqual([]);
  });

  test("is refused as a whole for a value that its column does not take", async () => {
    const { store } = await openFresh();
    const wrong: Batch[] = [
      { table: "alerts", rows: [["t", "soon"]] },
      { table: "alerts", rows: [["t", 1.5]] },
      { table: "alerts", rows: [[null, 1]] },
      { table: "tallies", rows: [[2 ** 40, 1, "a", "b", 1]] },
      { table: "recent_feedback", rows: [[new Uint8Array(32), "no id", 1]] },
      { table: "autoreplies", rows: [[new Uint8Array(32), 77, 1, null]] },
    ];
    for (const batch of wrong) {
      const dump = async function* () {
        yield { table: "alerts" as const, rows: [["first", 1]] };
        yield batch;
      };
      const failed = await store.fill(dump()).then(
        () => "filled",
        () => "failed",
      );
      expect([batch, failed]).toEqual([batch, "failed"]);
      expect((await Array.fromAsync(store.dump())).map(({ table }) => table)).toEqual(["setup_version"]);
    }
  });
});

describe.skipIf(!IS_POSTGRES_HERE)("a check of PostgreSQL", () => {
  test("finds what the server does not watch over any more, and what it then let happen", async () => {
    const { store, run } = await openFresh();
    const { key } = await addForm(store, "form");
    const { set } = await addProject(store, "p", "a");
    await set("a", "f", { enabled: true });
    await store.submissions.insert(submissionTo(key));
    expect(await store.check()).toEqual([]);
    await run(
      "ALTER TABLE forms DISABLE TRIGGER ALL; DELETE FROM forms; ALTER TABLE forms ENABLE TRIGGER ALL",
    );
    await run("ALTER TABLE submissions DISABLE TRIGGER submissions_counted_out");
    await run("CREATE FUNCTION theirs() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
    await run("CREATE TRIGGER theirs AFTER INSERT ON flags FOR EACH ROW EXECUTE FUNCTION theirs()");
    await run("ALTER TABLE tokens ADD CONSTRAINT named CHECK (name <> '') NOT VALID");
    await run(
      "UPDATE flags SET revision = 99; SELECT setval(pg_get_serial_sequence('environments', 'id'), 1, false)",
    );
    await run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'flag_values_by_flag'::regclass");
    expect(await store.check()).toEqual([
      "constraint named of tokens is not validated",
      "index flag_values_by_flag is not valid",
      "trigger submissions_counted_out of submissions is switched off",
      "trigger theirs of flags is not part of the schema",
      "2 rows of submission_counts refer to rows of forms that are missing",
      "1 row of submissions refers to one of forms that is missing",
      "flags has revision 99, and the setup is at version 4",
      "the next number of environments is taken",
    ]);
  });
});
