import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/base/errors.ts";
import { type Connections, createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { createUnits, type Units } from "../../../src/store/postgres/run.ts";
import {
  all,
  first,
  FOR_UPDATE,
  only,
  run,
  SKIP_LOCKED,
  type Value,
  type Work,
} from "../../../src/store/sql/work.ts";
import {
  databaseOf,
  emptyDatabase,
  execute,
  freshDatabase,
  IS_POSTGRES_HERE,
} from "../../support/postgres/postgres.ts";

const opened: Connections[] = [];
afterAll(() => Promise.all(opened.map((connections) => connections.close())));

function open(url: string): Units {
  const connections = createConnections(parseDatabaseUrl(url));
  opened.push(connections);
  return createUnits(connections);
}

describe.skipIf(!IS_POSTGRES_HERE)("work on PostgreSQL", () => {
  let database: string;
  let units: Units;
  beforeAll(async () => {
    const url = await emptyDatabase();
    database = databaseOf(url);
    units = open(url);
  });
  const create = (sql: string) => execute(sql, { database });

  test("names a pooler that mixes up prepared statements", async () => {
    const prepare = () => run('PREPARE "P0" AS SELECT 1', {});
    // On connections of its own: a prepared statement outlives its transaction.
    const twice = open(await emptyDatabase()).write(function* () {
      yield* prepare();
      yield* prepare();
    });
    expect(await twice.catch((error: unknown) => error)).toMatchObject({
      code: "unavailable",
      reason: "database-pooler",
    });
  });

  test("sends values by name and returns numbers, texts, bytes and null", async () => {
    await create("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT, bytes BYTEA, enabled INTEGER)");
    const bytes = new Uint8Array([0, 1, 255]);
    const changes = await units.write(() =>
      run(
        "INSERT INTO things (id, name, bytes, enabled) VALUES ($id, $name, $bytes, $on), ($id + 1, NULL, NULL, $on)",
        {
          id: 9_007_199_254_740_990,
          name: "one",
          bytes,
          on: 1,
        },
      ),
    );
    expect(changes).toBe(2);
    const rows = await units.read(() =>
      all(
        `SELECT id, name AS "theName", bytes, enabled, enabled = $on AS same, sum(id - 9007199254740000) OVER () AS total,
        '$name' AS literal, "name" FROM things WHERE id >= $id ORDER BY id /* $comment */ -- $comment`,
        { on: 1, id: 5 },
      ),
    );
    expect(rows[0]).toEqual({
      id: 9_007_199_254_740_990,
      theName: "one",
      bytes,
      enabled: 1,
      same: 1,
      total: 1981,
      literal: "$name",
      name: "one",
    });
    expect(rows[1]).toMatchObject({ id: 9_007_199_254_740_991, theName: null, bytes: null });
    expect(
      await units.read(() => first("SELECT 1 AS one FROM things WHERE id = $id", { id: 0 })),
    ).toBeUndefined();
  });

  test("refuses a number past the safe integers, and a name without a value", async () => {
    const big = units.read(() => only("SELECT CAST('9007199254740992' AS BIGINT) AS big"));
    expect(big).rejects.toThrow("9007199254740992");
    const missing = units.read(() => only("SELECT CAST($missing AS BIGINT) AS big"));
    expect(missing).rejects.toThrow("$missing");
  });

  test("keeps every text as it is", async () => {
    await create('CREATE TABLE texts (id BIGINT PRIMARY KEY, text TEXT COLLATE "C" NOT NULL)');
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .array(fc.constantFrom("\0", "\u{10FFFF}", "0", "1", '"', "\\", "{", "}", ",", "NULL", "'"))
        .map((list) => list.join("")),
    );
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20 }), async (texts) => {
        const kept = await units.write(function* (): Work<string[]> {
          const kept: string[] = [];
          for (const text of texts) {
            id += 1;
            yield* run("INSERT INTO texts (id, text) VALUES ($id, $text)", { id, text });
            const row = yield* only<{ text: string }>(
              "SELECT text FROM texts WHERE id = $id AND text = $text",
              {
                id,
                text,
              },
            );
            kept.push(row.text);
          }
          return kept;
        });
        expect(kept).toEqual(texts);
      }),
      { numRuns: 10 },
    );
  });

  test("reads lists as SQLite does", async () => {
    const list = JSON.stringify(["b", 5, "a'\"\\", null]);
    const rows = await units.read(() =>
      all("SELECT each.key, each.value FROM json_each($list) AS each ORDER BY each.key", { list }),
    );
    expect(rows).toEqual([
      { key: 0, value: "b" },
      { key: 1, value: "5" },
      { key: 2, value: "a'\"\\" },
      { key: 3, value: null },
    ]);
    const ids = await units.read(() =>
      all(
        "SELECT 1 AS found WHERE $id IN (SELECT CAST(value AS BIGINT) FROM json_each($list)) AND EXISTS (SELECT value FROM json_each('[1,2]') WHERE value = '2')",
        { id: 7, list: "[6,7]" },
      ),
    );
    expect(ids).toEqual([{ found: 1 }]);
    const bytes = await units.read(() =>
      all("SELECT unhex(value, '-') AS bytes, unhex($one) AS one FROM json_each($list)", {
        list: '["00-ff"]',
        one: "a1",
      }),
    );
    expect(bytes).toEqual([{ bytes: new Uint8Array([0, 255]), one: new Uint8Array([161]) }]);
  });

  test("leaves out rows behind four bytes for each unit of a cut, and never the second", async () => {
    const rows = await units.read(() =>
      all<Record<string, Value>>(
        "SELECT CAST(key AS BIGINT) AS n, value AS text, CAST(NULL AS TEXT) AS more FROM json_each($list) ORDER BY n DESC LIMIT $limit",
        { list: JSON.stringify(["aaaa", "bbbb", "cccc", "dddd"]), limit: 10 },
        { columns: ["text", "more"], bytes: 1 },
      ),
    );
    expect(rows).toEqual([
      { n: 3, text: "dddd", more: null },
      { n: 2, text: "cccc", more: null },
    ]);
  });

  test("changes all or nothing, and throws what exists already into the work", async () => {
    await create("CREATE TABLE names (name TEXT PRIMARY KEY)");
    const insert = (name: string) => run("INSERT INTO names (name) VALUES ($name)", { name });
    const failed = units.write(function* () {
      yield* insert("a");
      yield* insert("b");
      try {
        yield* insert("a");
      } catch (error) {
        throw new AppError("conflict", "a is taken", { cause: error });
      }
    });
    expect(failed).rejects.toThrow("a is taken");
    await failed.catch(() => {});
    expect(await units.read(() => all("SELECT name FROM names"))).toEqual([]);
    await units.write(() => insert("a"));
    const second = units.write(() => insert("a"));
    expect(second).rejects.toMatchObject({ name: "AppError", code: "conflict" });
  });

  test("repeats a transaction that the server ended because this process had paused", async () => {
    let tries = 0;
    await units.write(function* () {
      tries += 1;
      if (tries === 1) yield* run("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''25P03''; END'");
      yield* run("SELECT 1");
    });
    expect(tries).toBe(2);
  });

  test("repeats a transaction that another one ended, with new work", async () => {
    await create("CREATE TABLE pair (id INTEGER PRIMARY KEY, count BIGINT NOT NULL)");
    await create("INSERT INTO pair VALUES (1, 0), (2, 0)");
    let made = 0;
    const raise = (ids: number[]) => {
      made += 1;
      return function* (): Work<void> {
        for (const id of ids) yield* run("UPDATE pair SET count = count + 1 WHERE id = $id", { id });
      };
    };
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => units.write(() => raise(n % 2 === 0 ? [1, 2] : [2, 1])())),
    );
    expect(made).toBeGreaterThanOrEqual(40);
    expect(await units.read(() => all("SELECT count FROM pair ORDER BY id"))).toEqual([
      { count: 40 },
      { count: 40 },
    ]);
  });

  test("sees one moment where it is asked to", async () => {
    await create("CREATE TABLE moments (id INTEGER PRIMARY KEY)");
    const count = () => only<{ count: number }>("SELECT count(*) AS count FROM moments");
    const [before, after] = await units.readAtOnce(function* () {
      const { count: before } = yield* count();
      void units.write(() => run("INSERT INTO moments (id) VALUES ($id)", { id: 1 }));
      // Waits until the other transaction has committed, which this one does not see.
      yield* run("SELECT pg_sleep(CAST($seconds AS FLOAT8))", { seconds: "0.05" });
      const { count: after } = yield* count();
      return [before, after];
    });
    expect([before, after]).toEqual([0, 0]);
    expect(await units.read(count)).toEqual({ count: 1 });
    const write = units.readAtOnce(() => run("INSERT INTO moments (id) VALUES ($id)", { id: 2 }));
    expect(write).rejects.toThrow("read-only");
  });

  test("locks rows or skips those of others", async () => {
    await create("CREATE TABLE jobs (id INTEGER PRIMARY KEY, holder TEXT)");
    await create("INSERT INTO jobs SELECT n, NULL FROM generate_series(1, 40) AS n");
    const claim = (holder: string) =>
      units.write(function* (): Work<number> {
        const rows = yield* all<{ id: number }>(
          `SELECT id FROM jobs WHERE holder IS NULL ORDER BY id LIMIT $limit ${SKIP_LOCKED}`,
          { limit: 10 },
        );
        const ids = JSON.stringify(rows.map(({ id }) => id));
        return yield* run(
          "UPDATE jobs SET holder = $holder WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each($ids))",
          { holder, ids },
        );
      });
    const claimed = await Promise.all(["a", "b", "c", "d", "e", "f"].map(claim));
    expect(claimed.reduce((sum, each) => sum + each, 0)).toBe(40);

    await create("CREATE TABLE counter (id INTEGER PRIMARY KEY, count BIGINT)");
    await create("INSERT INTO counter VALUES (1, 0)");
    const raise = () =>
      units.write(function* () {
        const { count } = yield* only<{ count: number }>(
          `SELECT count FROM counter WHERE id = 1 ${FOR_UPDATE}`,
        );
        yield* run("UPDATE counter SET count = $count WHERE id = 1", { count: count + 1 });
      });
    await Promise.all(Array.from({ length: 30 }, raise));
    expect(await units.read(() => only("SELECT count FROM counter"))).toEqual({ count: 30 });
  });

  test("changes the setup one after another on all replicas", async () => {
    const shared = await freshDatabase();
    const replicas = [open(shared), open(shared), open(shared)];
    const raise = function* (): Work<number> {
      const { version } = yield* only<{ version: number }>("SELECT version FROM setup_version WHERE id = 1");
      yield* run("UPDATE setup_version SET version = $next WHERE id = 1", { next: version + 1 });
      return version + 1;
    };
    const versions = await Promise.all(
      Array.from({ length: 12 }, (_, n) => replicas[n % 3]!.writeSetup(raise)),
    );
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  });
});
