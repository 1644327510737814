import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { parseExactly } from "../../src/base/json/exact-json.ts";
import { describe, expect, test } from "bun:test";
import { timedId } from "../../src/base/ids.ts";
import { DEFAULT_SETTINGS } from "../../src/forms/settings/settings.ts";
import { connect } from "../../src/store/sqlite/connection.ts";
import { MIGRATIONS, migrate, migrateFile } from "../../src/store/sqlite/migrate.ts";
import { openMigrated } from "../support/database.ts";
import { apply } from "../support/records/apply.ts";
import { LAST_ID, NOW, random } from "../support/records/records.ts";
import { errorOf, reasonOf } from "../support/refusals.ts";
import { tempDirectory } from "../support/temp.ts";

const directory = tempDirectory();
let count = 0;
const freshFile = () => join(directory, `${(count += 1)}.db`);
const error = (code: string) => expect.objectContaining({ name: "AppError", code });

function connectMigrated(file: string): Database {
  migrateFile(file);
  return connect(file);
}

/** A database that some other program made. */
function makeDatabase(...statements: string[]): string {
  const file = freshFile();
  const db = new Database(file, { create: true });
  for (const sql of statements) db.run(sql);
  db.close();
  return file;
}

function pragma(db: Database, name: string): unknown {
  return db.prepare<never, []>(`PRAGMA ${name}`).values()[0]![0];
}

function ourDatabase(...statements: string[]): string {
  const file = freshFile();
  const db = connectMigrated(file);
  for (const sql of statements) db.run(sql);
  db.run("PRAGMA journal_mode = DELETE");
  db.close();
  return file;
}

describe("a file that is not ours to use", () => {
  const cases: [what: string, make: () => string, message: RegExp][] = [
    ["a database of a newer formflag", () => ourDatabase("PRAGMA user_version = 9999"), /newer/],
    [
      "a database with another application id",
      () => makeDatabase("CREATE TABLE t (a)", "PRAGMA application_id = 12345"),
      /another program/,
    ],
    [
      "an empty database with another application id",
      () => makeDatabase("PRAGMA application_id = 12345"),
      /another/,
    ],
    [
      "a database with tables and no application id",
      () => makeDatabase("CREATE TABLE t (a)"),
      /another program/,
    ],
    [
      "a database with a version and no application id",
      () => makeDatabase("PRAGMA user_version = 1"),
      /another/,
    ],
    [
      "a text",
      () => {
        const file = freshFile();
        writeFileSync(file, "This is no database.\n".repeat(500));
        return file;
      },
      /not a database/,
    ],
    [
      "a short text",
      () => {
        const file = freshFile();
        writeFileSync(file, "hello");
        return file;
      },
      /not a database/,
    ],
  ];

  for (const writing of ["inline", "thread"] as const) {
    test.each(cases)(
      `%s is refused (${writing}) and left as it was, byte for byte`,
      (_what, make, message) => {
        const file = make();
        const before = readFileSync(file);
        expect(() => openMigrated(file, writing)).toThrow(error("unsupported"));
        expect(() => openMigrated(file, writing)).toThrow(message);
        expect(readFileSync(file).equals(before)).toBe(true);
        for (const suffix of ["-wal", "-shm", "-journal"]) expect(existsSync(file + suffix)).toBe(false);
      },
    );
  }

  test("is a database of a newer formflag that still keeps a write-ahead log", () => {
    const file = freshFile();
    const db = connectMigrated(file);
    db.run("PRAGMA user_version = 9999");
    db.close();
    const before = readFileSync(file);
    expect(() => openMigrated(file)).toThrow(error("unsupported"));
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("names itself, and what it is", async () => {
    const file = makeDatabase("CREATE TABLE t (a)");
    const open = () => Promise.try(() => openMigrated(file));
    expect(await reasonOf(open())).toBe("unsupported database-foreign");
    expect(await errorOf(open())).toContain(file);
  });

  test("is a folder, or stands under a file", () => {
    const folder = freshFile();
    mkdirSync(folder);
    expect(() => openMigrated(folder)).toThrow(error("forbidden"));
    const file = freshFile();
    writeFileSync(file, "");
    expect(() => openMigrated(join(file, "formflag.db"))).toThrow(error("forbidden"));
  });
});

describe("a connection", () => {
  test("waits for locks, flushes at every commit, and keeps foreign keys", () => {
    const db = connectMigrated(freshFile());
    expect(pragma(db, "journal_mode")).toBe("wal");
    expect(pragma(db, "synchronous")).toBe(2);
    expect(pragma(db, "foreign_keys")).toBe(1);
    expect(pragma(db, "trusted_schema")).toBe(0);
    expect(Number(pragma(db, "busy_timeout"))).toBeGreaterThanOrEqual(1000);
    db.close();
  });

  test("has the same settings when the file was there before", () => {
    const file = freshFile();
    connectMigrated(file).close();
    const db = connectMigrated(file);
    expect(pragma(db, "journal_mode")).toBe("wal");
    expect(pragma(db, "synchronous")).toBe(2);
    expect(pragma(db, "foreign_keys")).toBe(1);
    db.close();
  });

  test("makes the folder it needs, closed to others", () => {
    const folder = join(directory, "new", "deeper");
    connectMigrated(join(folder, "formflag.db")).close();
    expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
  });

  test("takes an empty file as a new database", () => {
    const file = freshFile();
    writeFileSync(file, "");
    const db = connectMigrated(file);
    expect(Number(pragma(db, "user_version"))).toBeGreaterThan(0);
    db.close();
  });
});

test("a token that the schema before limited to an environment is limited to its project too", async () => {
  const [initial, targeting] = ["0001-initial.sql", "0002-targeting.sql"].map((name) =>
    readFileSync(join(import.meta.dir, "../../src/store/sqlite/migrations/0001-0025", name), "utf8"),
  ) as [string, string];
  const file = freshFile();
  const db = new Database(file, { create: true });
  migrate(db, [initial, targeting]);
  db.run("INSERT INTO projects (id, slug, name, key, created_at) VALUES (7, 'shop', 'Shop', 'p', 1)");
  db.run(
    "INSERT INTO environments (id, project_id, slug, name, key, revision, created_at) VALUES (9, 7, 'live', 'L', 'e', 1, 1)",
  );
  const insert = "INSERT INTO tokens (name, hash, scopes, created_at, environment_id) VALUES";
  db.run(`${insert} ('web', 'h1', '["flags:evaluate"]', 1, 9), ('ci', 'h2', '["flags:write"]', 1, NULL)`);
  db.close();
  const store = openMigrated(file);
  const [ci, web] = await store.tokens.list();
  expect(web).toMatchObject({ name: "web", project: "shop", environment: "live" });
  expect(await store.tokens.find("h1")).toMatchObject({ keys: { projectKey: "p", environmentKey: "e" } });
  expect([ci?.name, ci?.project, ci?.environment]).toEqual(["ci", undefined, undefined]);
  await store.close();
});

test("submissions whose ids the schema before stored as text keep their ids, order and files", async () => {
  const file = freshFile();
  const db = new Database(file, { create: true });
  migrate(db, MIGRATIONS.slice(0, 5));
  const ids = ["1", "3", "2"].map((digit) => `019a9b0c-000${digit}-7000-8000-00000000000${digit}`);
  const form = "INSERT INTO forms (id, slug, name, key, enabled, uploads, allowed_origins, blocked_senders";
  db.run(`${form}, created_at, updated_at) VALUES (4, 'contact', 'C', 'k', 1, 1, '[]', '[]', 1, 1)`);
  for (const [index, id] of ids.entries())
    db.run(
      `INSERT INTO submissions VALUES (${index + 7}, '${id}', 4, '{"n":${index}.50}', ${1700000000000 + index})`,
    );
  const key = `${ids[1]}.1`;
  db.run(
    `INSERT INTO files VALUES (8, 1, 'cv', 'cv.pdf', 'application/pdf', 3, '${"0".repeat(64)}', '${key}')`,
  );
  db.close();
  const store = openMigrated(file);
  const { submissions } = await store.submissions.list("k", 10, null);
  expect(submissions.map(({ id }) => id)).toEqual([ids[1]!, ids[2]!, ids[0]!]);
  expect(await store.submissions.find(ids[1]!)).toMatchObject({
    form: "contact",
    data: { n: parseExactly("1.50") },
    createdAt: "2023-11-14T22:13:20.001Z",
    files: [{ field: "cv", name: "cv.pdf", size: 3 }],
  });
  expect(await store.submissions.newestId(LAST_ID)).toBe(ids[1]!);
  expect(await store.submissions.files("", 10)).toMatchObject([{ key, submission: ids[1] }]);
  expect(await store.submissions.delete([ids[1]!])).toEqual([ids[1]!]);
  expect(await store.garbage.list(10)).toEqual([key]);
  await store.close();
});

test("a copy without its search index gets it with the migrations after it", async () => {
  const file = freshFile();
  const db = new Database(file, { create: true });
  migrate(db, MIGRATIONS.slice(0, 10));
  for (const table of ["submission_search", "submission_positions", "search_removals"])
    db.run(`DROP TABLE ${table}`);
  db.close();
  const store = openMigrated(file);
  expect(await store.submissions.indexBacklog()).toEqual({ missing: 0, removals: false });
  await store.close();
});

test("the schema before exact digits has its index filled again", async () => {
  const file = freshFile();
  const db = new Database(file, { create: true });
  migrate(db, MIGRATIONS.slice(0, 38));
  db.run("INSERT INTO projects (id, slug, name, key, created_at) VALUES (1, 'p', 'P', 'k', 1)");
  db.run(
    `INSERT INTO forms (id, slug, name, key, enabled, uploads, allowed_origins, blocked_senders, created_at, updated_at, project_id)
     VALUES (1, 'f', 'F', 'key', 1, 0, '[]', '[]', 1, 1, 1)`,
  );
  db.run(
    `INSERT INTO submissions (seq, id, form_id, data, created_at) VALUES (1, unhex('019b7ca98f2e7000 99dea8b0b8294ae3', ' '), 1, '{"n":1.10}', 1)`,
  );
  db.run("INSERT INTO submission_positions VALUES (1, 1)");
  db.run("INSERT INTO submission_search (rowid, terms) VALUES (1, '1x1 1x1')");
  db.run(`INSERT INTO search_removals VALUES (7, '1xgone')`);
  db.close();
  const store = openMigrated(file);
  expect(await store.submissions.indexBacklog()).toEqual({ missing: 1, removals: false });
  while (await store.submissions.updateIndex());
  expect(await store.submissions.indexBacklog()).toEqual({ missing: 0, removals: false });
  await store.close();
});

test("forms of the schema before foreign ids have some where a submission has the id of another time", async () => {
  const file = freshFile();
  const db = new Database(file, { create: true });
  migrate(db, MIGRATIONS.slice(0, 14));
  const ids = [timedId(NOW - 3_600_000, 0, random(8)), timedId(NOW - 3_600_001, 0, random(8)), FOREIGN_ID];
  for (const [at, id] of ids.entries()) {
    const columns = "id, slug, name, key, enabled, uploads, allowed_origins, blocked_senders";
    db.run(
      `INSERT INTO forms (${columns}, created_at, updated_at)
       VALUES (${at}, 'f${at}', 'F', 'k${at}', 1, 0, '[]', '[]', 1, 1)`,
    );
    db.run(
      `INSERT INTO submissions (id, form_id, data, created_at) VALUES (unhex('${id}', '-'), ${at}, '{}', ${NOW})`,
    );
  }
  db.close();
  const store = openMigrated(file);
  const keys = ["k0", "k1", "k2"];
  expect(await Promise.all(keys.map((key) => store.submissions.hasForeignIds(key)))).toEqual([
    false,
    true,
    true,
  ]);
  await store.close();
});

const FOREIGN_ID = "00f47ac1-58cc-4372-a567-0e02b2c3d479";

test("forms of the schema before settings have the defaults, and take settings", async () => {
  const file = freshFile();
  const db = new Database(file, { create: true });
  migrate(db, MIGRATIONS.slice(0, 6));
  const columns = "slug, name, key, enabled, uploads, allowed_origins, blocked_senders, max_files";
  db.run(
    `INSERT INTO forms (${columns}, created_at, updated_at) VALUES ('contact', 'C', 'k', 1, 1, '[]', '[]', 3, 1, 1)`,
  );
  db.close();
  const store = openMigrated(file);
  const form = (await store.forms.named("contact"))[0]!;
  expect(form).toMatchObject({ name: "C", maxFiles: 3, ...DEFAULT_SETTINGS });
  const changed = { ...form, spamLinks: 0 };
  await apply(store, { change: "updateForm", project: "default", form: changed });
  expect((await store.forms.named("contact"))[0]).toEqual(changed);
  await store.close();
  const after = new Database(file, { readonly: true });
  expect(after.query("SELECT settings FROM forms").values()).toEqual([['{"spamLinks":0}']]);
  after.close();
});

describe("a migration", () => {
  const initial = readFileSync(
    join(import.meta.dir, "../../src/store/sqlite/migrations/0001-0025/0001-initial.sql"),
    "utf8",
  );
  const second = "ALTER TABLE forms ADD COLUMN note TEXT; UPDATE forms SET note = slug";
  /** A database of the first schema with a form in it, as it is after a crash: with a write-ahead log. */
  const oldDatabase = () => {
    const file = freshFile();
    const db = new Database(file, { create: true });
    migrate(db, [initial]);
    db.run(
      `INSERT INTO forms (slug, name, key, enabled, uploads, allowed_origins, blocked_senders, created_at, updated_at)
       VALUES ('contact', 'C', 'k', 1, 0, '[]', '[]', 1, 1)`,
    );
    return { file, db };
  };
  const look = (file: string) => {
    const db = new Database(file, { readonly: true });
    const found = [
      pragma(db, "user_version"),
      pragma(db, "integrity_check"),
      db.query("SELECT * FROM forms").get(),
    ];
    db.close();
    return found;
  };

  test("keeps a copy of the database as it was beside it", () => {
    const { file, db } = oldDatabase();
    migrate(db, [initial, second]);
    expect(look(file)).toEqual([2, "ok", expect.objectContaining({ slug: "contact", note: "contact" })]);
    expect(look(`${file}.before-2`)).toEqual([1, "ok", expect.objectContaining({ slug: "contact" })]);
    expect(existsSync(`${file}.before-2.part`)).toBe(false);
    const old = new Database(`${file}.before-2`);
    migrate(old, [initial]);
    migrate(old, [initial, second]);
    expect(pragma(old, "user_version")).toBe(2);
    for (const each of [db, old]) each.close();
  });

  test("makes no copy of a new database, nor of one that is up to date", () => {
    const file = freshFile();
    connectMigrated(file).close();
    connectMigrated(file).close();
    expect(readdirSync(directory).filter((name) => name.includes(`${count}.db.before`))).toEqual([]);
  });

  test("that fails leaves the database as it was, says so, and is done again by a program that can", () => {
    const { file, db } = oldDatabase();
    const before = look(file);
    for (const broken of [`${second}; SELECT nonsense`, `${second}; INSERT INTO forms (id) VALUES (1)`]) {
      expect(() => migrate(db, [initial, broken])).toThrow(error("unsupported"));
      expect(() => migrate(db, [initial, broken])).toThrow(/could not be migrated from schema 1 to 2/);
      expect(look(file)).toEqual(before);
    }
    migrate(db, [initial, second]);
    expect(look(file)[0]).toBe(2);
    db.close();
  });

  test("that finds no room for the copy does not begin", () => {
    const { file, db } = oldDatabase();
    mkdirSync(join(`${file}.before-2`, "in the way"), { recursive: true });
    expect(() => migrate(db, [initial, second])).toThrow();
    expect(look(file)[0]).toBe(1);
    expect(existsSync(`${file}.before-2.part`)).toBe(false);
    db.close();
  });

  test("is done once where several processes open the database at the same moment", async () => {
    const { file, db } = oldDatabase();
    db.close();
    const script = `
      import { Database } from "bun:sqlite";
      import { MIGRATIONS, migrate } from "${join(import.meta.dir, "../../src/store/sqlite/migrate.ts")}";
      const db = new Database(${JSON.stringify(file)});
      db.run("PRAGMA busy_timeout = 5000");
      migrate(db, ${JSON.stringify([initial, `${second}; INSERT INTO setup_version VALUES (1, 0) ON CONFLICT DO UPDATE SET version = version + 100`])});
      console.log(db.query("SELECT version FROM setup_version").get().version);`;
    const runs = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" }),
    );
    const said = await Promise.all(runs.map((run) => new Response(run.stdout).text()));
    expect(said.map((text) => text.trim())).toEqual(["100", "100", "100", "100"]);
    expect(look(`${file}.before-2`)[0]).toBe(1);
    expect(existsSync(`${file}.before-3`)).toBe(false);
  });
});

describe("the schema", () => {
  const schemaOf = (db: Database) =>
    db.query<{ sql: string }, []>("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();

  test("is marked as ours", () => {
    const db = connectMigrated(freshFile());
    expect(Buffer.from(Number(pragma(db, "application_id")).toString(16), "hex").toString()).toBe("fflg");
    db.close();
  });

  test("is the same after it was brought up to date again, and so are the rows", () => {
    const file = freshFile();
    const first = connectMigrated(file);
    first.run("INSERT INTO projects (slug, name, key, created_at) VALUES ('a', 'A', 'k', 1)");
    const [schema, version] = [schemaOf(first), pragma(first, "user_version")];
    first.close();
    const second = connectMigrated(file);
    const third = connectMigrated(file);
    expect(schemaOf(third)).toEqual(schema);
    expect(pragma(third, "user_version")).toBe(version);
    expect(third.query("SELECT slug FROM projects").all()).toEqual([{ slug: "a" }]);
    second.close();
    third.close();
  });

  test("has only STRICT tables", () => {
    const db = connectMigrated(freshFile());
    const tables = db
      .query<{ name: string; strict: number }, []>(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
      )
      .all();
    expect(tables.length).toBeGreaterThan(5);
    // SQLite creates the tables of the search index.
    const ours = tables.filter(({ name }) => !name.startsWith("submission_search"));
    expect(ours.filter((table) => table.strict !== 1)).toEqual([]);
    db.close();
  });

  test("has an index for every foreign key, so that no delete reads a whole table", () => {
    const db = connectMigrated(freshFile());
    const keys = db
      .query<{ name: string; columns: string }, []>(
        `SELECT t.name, group_concat(k."from" || ' = 1', ' AND ' ORDER BY k.seq) AS columns
         FROM pragma_table_list t, pragma_foreign_key_list(t.name) k
         WHERE t.schema = 'main' GROUP BY t.name, k.id`,
      )
      .all();
    expect(keys.length).toBeGreaterThan(4);
    for (const { name, columns } of keys) {
      const plan = db
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN SELECT 1 FROM ${name} WHERE ${columns}`)
        .all();
      expect([name, columns, plan[0]!.detail]).toEqual([name, columns, expect.stringContaining("SEARCH")]);
    }
    db.close();
  });
});
