import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { setClock } from "../../../src/base/clock.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { createUnits } from "../../../src/store/postgres/run.ts";
import { all, only, run, type Work } from "../../../src/store/sql/work.ts";
import { eventually } from "../../support/eventually.ts";
import { openGate } from "../../support/postgres/gate.ts";
import { addForm } from "../../support/records/apply.ts";
import {
  databaseOf,
  emptyDatabase,
  execute,
  freshDatabase,
  IS_POSTGRES_HERE,
  sharedPostgres,
} from "../../support/postgres/postgres.ts";
import { submissionTo } from "../../support/records/records.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";

/** Connections through a gate to a database with a table of counts. */
async function throughGate() {
  const url = await emptyDatabase();
  const database = new URL(url).pathname.slice(1);
  await execute("CREATE TABLE counts (id INTEGER PRIMARY KEY, count BIGINT NOT NULL)", { database });
  await execute("INSERT INTO counts VALUES (1, 0)", { database });
  const { port } = await sharedPostgres();
  const gate = await openGate(port);
  const connections = createConnections(parseDatabaseUrl(url.replace(`:${port}/`, `:${gate.port}/`)));
  afterAll(async () => {
    await connections.close();
    gate.close();
  });
  const raise = function* (): Work<number> {
    yield* run("UPDATE counts SET count = count + 1 WHERE id = 1");
    return (yield* only<{ count: number }>("SELECT count FROM counts WHERE id = 1")).count;
  };
  const count = async () => Number((await execute("SELECT count FROM counts", { database }))[0]!["count"]);
  return { gate, connections, units: createUnits(connections), raise, count, database };
}

const DEADLINE_MS = 4321;

/** Holds back the deadlines of statements; the returned function lets the last one pass. */
function holdDeadlines(): () => void {
  let pass = () => {};
  setClock({
    after(ms, run) {
      if (ms !== DEADLINE_MS) return setTimeout(run, ms);
      pass = run;
      return { close: () => {}, unref: () => setTimeout(() => {}) };
    },
  });
  return () => pass();
}

/** Ends the connection `pid`, and returns once no other is at work: the event loop of this process stands still for it. */
function endWhileStanding(url: string, pid: unknown): void {
  const script = `const sql = new Bun.SQL(${JSON.stringify(url)});
    await sql\`SELECT pg_terminate_backend(${String(pid)})\`;
    const active = () => sql\`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()\`;
    while ((await active()).length > 0);
    await sql.close();`;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

const UNAVAILABLE = { name: "AppError", code: "unavailable", reason: "database-unavailable", retryAfter: 1 };

describe.skipIf(!IS_POSTGRES_HERE)("connections to PostgreSQL", () => {
  afterEach(() => setClock());

  test("that were ended are replaced, and nobody notices", async () => {
    const { units, raise, database } = await throughGate();
    const ask = (n: number) => only<{ n: number }>("SELECT CAST($n AS INTEGER) AS n, pg_sleep(0.001)", { n });
    await Promise.all(Array.from({ length: 8 }, (_, n) => units.read(() => ask(n))));
    await units.write(raise);
    await execute(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
    );
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => units.read(() => ask(n))));
    expect(answers.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await units.write(raise)).toBe(2);
  });

  test("that are cut make work unavailable until they can be made again", async () => {
    const { gate, units, raise, count } = await throughGate();
    await units.write(raise);
    await gate.set("cut");
    expect(units.write(raise)).rejects.toMatchObject(UNAVAILABLE);
    expect(units.read(() => all("SELECT 1 AS one"))).rejects.toMatchObject(UNAVAILABLE);
    await gate.set("open");
    expect(await units.write(raise)).toBe(2);
    expect(await count()).toBe(2);
  });

  test("whose answer is lost before the commit repeat the transaction, once in the database", async () => {
    const { gate, units, raise, count } = await throughGate();
    await units.write(raise);
    let tries = 0;
    const result = await units.write(function* () {
      tries += 1;
      yield* run("UPDATE counts SET count = count + 10 WHERE id = 1");
      if (tries === 1) gate.cutNextAnswer();
      return yield* raise();
    });
    expect([tries, result, await count()]).toEqual([2, 12, 12]);
  });

  test("whose answer to a commit is lost say that the change may have been made", async () => {
    const { gate, units, raise, count } = await throughGate();
    await units.write(raise);
    const lost = units.write(function* () {
      const value = yield* raise();
      gate.cutNextAnswer();
      return value;
    });
    expect(lost).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: expect.stringContaining("may have been made"),
    });
    await lost.catch(() => {});
    // The proxy has passed the COMMIT on.
    await eventually("the change is made", async () => (await count()) === 2);
  });

  test("that do not answer are closed after the deadline, and others are opened", async () => {
    const { gate, connections } = await throughGate();
    const ask = (deadline: number) => connections.query("reads", "SELECT 1 AS one", [], deadline);
    await ask(5000);
    await gate.set("swallow");
    const waiting = Array.from({ length: 8 }, () => ask(100));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => "rejected"));
    const before = gate.connections();
    await gate.set("open");
    expect((await ask(5000)).rows).toEqual([{ one: 1 }]);
    expect(gate.connections()).toBeGreaterThan(before);
  });

  test.each(["statement", "transaction"])(
    "whose answer arrives while the process stands still past the deadline read it: a %s",
    async (kind) => {
      const url = await emptyDatabase();
      const [asking, holding] = [createConnections(parseDatabaseUrl(url)), new Bun.SQL(url)];
      const passDeadline = holdDeadlines();
      const lock = "SELECT pg_advisory_lock(1), pg_backend_pid() AS pid";
      const [holder] = await holding.unsafe<{ pid: number }[]>(lock);
      const answer =
        kind === "statement"
          ? asking.query("version", lock, [], DEADLINE_MS)
          : asking.transaction("READ ONLY", (query) => query(lock), { deadline: DEADLINE_MS });
      const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      await eventually("the statement waits for the lock", async () => {
        return (await execute(waiting, { database: databaseOf(url) })).length === 1;
      });
      // The timers of one turn run one after another, with no input between them.
      setTimeout(() => {
        endWhileStanding(url, holder!.pid);
        passDeadline();
      });
      expect((await answer).rows).toHaveLength(1);
      await asking.close();
      await holding.close();
    },
  );

  test.each([
    [true, 1],
    [false, 9],
  ])(
    "are one for a command, also where it does several things at once, and several for a server: %p",
    async (isSingle, most) => {
      const url = await freshDatabase();
      const store = await openPostgresStore(parseDatabaseUrl(url), { isSingle, staleness: 1 });
      const form = await addForm(store, "form");
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => [
          store.readVersion(),
          store.forms.list(),
          store.submissions.insert(submissionTo(form.key)),
          store.shared!.keep(`ab${index + 10}`, "text", Date.now() + 60_000),
        ]).flat(),
      );
      // Without workers of autovacuum.
      const backends = `SELECT count(*)::text AS count FROM pg_stat_activity
      WHERE datname = '${databaseOf(url)}' AND backend_type = 'client backend'`;
      const count = async () => Number((await execute(backends))[0]!["count"]);
      expect(await count()).toBeWithin(1, most + 1);
      const dump = store.dump()[Symbol.asyncIterator]();
      await dump.next();
      expect(await count()).toBeWithin(isSingle ? 2 : 3, most + 2);
      await store.readVersion();
      await dump.return?.();
      await store.close();
    },
  );

  test("start with the limits of the server, unless a pooler is between", async () => {
    const url = await emptyDatabase();
    const settings = async (each: string) => {
      const connections = createConnections(parseDatabaseUrl(each));
      const { rows } = await connections.query(
        "reads",
        `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
           current_setting('idle_in_transaction_session_timeout') AS idle`,
      );
      await connections.close();
      return rows[0];
    };
    expect(await settings(url)).toEqual({ lock: "4s", statement: "10s", idle: "5s" });
    expect(await settings(`${url}?prepare=false`)).toEqual({ lock: "0", statement: "0", idle: "0" });
  });

  test("that are closed take nothing more", async () => {
    const { connections, units } = await throughGate();
    await units.read(() => all("SELECT 1 AS one"));
    await connections.close();
    expect(units.read(() => all("SELECT 1 AS one"))).rejects.toMatchObject(UNAVAILABLE);
  });
});
