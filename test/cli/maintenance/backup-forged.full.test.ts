import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { adoptDatabase } from "../../../src/store/sqlite/copies/adopt.ts";
import { MIGRATIONS } from "../../../src/store/sqlite/migrate.ts";
import { bytesOf, makeArchive, rewrite } from "../../support/records/archive.ts";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const { entries } = await makeArchive();

type Forgery = (db: Database) => void;

/** The database of a backup after somebody changed it. */
function forgeDatabase(change: Forgery, from = entries[1]!.data!): string {
  const file = join(tempDirectory(), "forged.db");
  writeFileSync(file, from);
  const db = new Database(file);
  change(db);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return file;
}

/** An archive around a database, with all sums as they should be. */
async function packArchive(file: string, change: (manifest: string[]) => string[] = (lines) => lines) {
  const data = readFileSync(file);
  const sum = new Bun.CryptoHasher("sha256").update(data).digest("hex");
  const [about, , ...rest] = new TextDecoder().decode(entries[0]!.data).split("\n");
  const line = JSON.stringify({ path: "formflag.db", size: data.byteLength, sha256: sum });
  const manifest = bytesOf(change([about!, `${line},`, ...rest]).join("\n"));
  return rewrite([{ ...entries[0]!, data: manifest }, { ...entries[1]!, data }, ...entries.slice(2)]);
}

/** Makes a page the root of a tree of a few pages that refer to each other 400 times: 400 ** 6 leaves. */
function makeEndless(db: Database, root: number): void {
  const file = db.filename;
  db.run("PRAGMA journal_mode = DELETE");
  db.close();
  const bytes = readFileSync(file);
  const pageSize = bytes.readUInt16BE(16);
  const count = bytes.readUInt32BE(28);
  const pageOf = (page: number) => (page - 1) * pageSize;
  const added = Buffer.alloc(6 * pageSize);
  const all = Buffer.concat([bytes, added]);
  // The first is a leaf: what the root was.
  bytes.copy(all, pageOf(count + 1), pageOf(root), pageOf(root) + pageSize);
  const refer = (page: number, start: number, child: number) => {
    const at = pageOf(page);
    all.fill(0, at + start, at + pageSize);
    all.writeUInt8(5, at + start);
    all.writeUInt16BE(400, at + start + 3);
    all.writeUInt16BE(pageSize - 2000, at + start + 5);
    all.writeUInt32BE(child, at + start + 8);
    for (let cell = 0; cell < 400; cell += 1) {
      const offset = pageSize - 5 * (cell + 1);
      all.writeUInt16BE(offset, at + start + 12 + 2 * cell);
      all.writeUInt32BE(child, at + offset);
      all.writeUInt8(1, at + offset + 4);
    }
  };
  for (let page = count + 2; page <= count + 6; page += 1) refer(page, 0, page - 1);
  refer(root, root === 1 ? 100 : 0, count + 6);
  all.writeUInt32BE(count + 6, 28);
  writeFileSync(file, all);
}

/** A project with an environment and a flag. */
const FLAG = `
  INSERT INTO projects (id, slug, name, key, created_at) VALUES (9, 'shop', 'shop', 'aaaa-bbbb-cccc', 0);
  INSERT INTO environments (id, project_id, slug, name, key, revision, created_at)
    VALUES (9, 9, 'live', 'live', 'dddd-eeee-ffff', 0, 0);
  INSERT INTO flags (id, project_id, slug, description, created_at, updated_at) VALUES (9, 9, 'f', '', 0, 0)`;

const ENDLESS = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

describe("an archive whose database was forged is found unsound, and nothing of it is restored:", () => {
  const cases: [what: string, change: Forgery, message: RegExp][] = [
    [
      "the id of a submission leads to another file",
      (db) => db.run("UPDATE submissions SET id = CAST('../../../../etc/passwd' AS BLOB) WHERE seq = 1"),
      /row 1 of submissions has a id that formflag never writes/,
    ],
    [
      "a view without an end in the place of a table",
      (db) => {
        db.run("DROP TABLE files");
        db.run(`CREATE VIEW files AS ${ENDLESS} SELECT x AS submission_seq, x AS size, x AS blob_key FROM c`);
      },
      /the table "files" is missing/,
    ],
    [
      "a trigger",
      (db) => db.run("CREATE TRIGGER t AFTER INSERT ON submissions BEGIN DELETE FROM submissions; END"),
      /the trigger "t" does not belong to formflag/,
    ],
    [
      "an address that runs a script",
      (db) => db.run("UPDATE forms SET success_url = 'javascript:alert(1)'"),
      /row 1 of forms has a success_url that formflag never writes/,
    ],
  ];

  test.each(cases)("%s", async (_what, change, message) => {
    const file = await packArchive(forgeDatabase(change));
    const parent = tempDirectory();
    const verified = await formflag(["backup", "verify", file]);
    const restored = await onData(join(parent, "data")).run("backup", "restore", file);
    for (const { code, stdout } of [verified, restored])
      expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(message) });
    expect(readdirSync(parent)).toEqual([]);
  });

  test("a manifest that would command a terminal", async () => {
    const file = await packArchive(
      forgeDatabase(() => {}),
      ([about, ...rest]) => [about!.replace(/"createdAt":"/, "$&\\u001b]0;owned\\u0007"), ...rest],
    );
    const { code, stdout, stderr } = await formflag(["backup", "verify", file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("manifest.json was not written by formflag");
  });
});

/** What is wrong with a database, or the message with which it is refused. */
async function faultsOf(file: string): Promise<string> {
  const into = join(tempDirectory(), "adopted.db");
  const options = { name: "formflag.db", limit: 20 };
  const faults = await adoptDatabase(file, into, options).catch((error: Error) => [error.message]);
  return faults.join("\n");
}

describe("rows are not taken from a database that", () => {
  const update = (sql: string) => (db: Database) => void db.run(sql);
  /** Alters the SQL of a table behind the back of SQLite; both texts have the same length. */
  const alter = (from: string, to: string) => (db: Database) => {
    const file = db.filename;
    db.close();
    writeFileSync(file, readFileSync(file, "latin1").replaceAll(from, to), "latin1");
  };
  const cases: [what: string, change: Forgery, message: string][] = [
    ["has another table", update("CREATE TABLE t (a)"), 'the table "t" does not belong'],
    [
      "has another view",
      update(`CREATE VIEW v AS ${ENDLESS} SELECT x FROM c`),
      'the view "v" does not belong',
    ],
    [
      "has a preview with a text that nobody can set",
      update(`${FLAG}; INSERT INTO flag_previews VALUES (9, 9, 1, '', hex(zeroblob(40000)))`),
      "row 1 of flag_previews has a content",
    ],
    [
      "has feedback that nobody can send",
      update(`${FLAG}; INSERT INTO flag_feedback VALUES (zeroblob(16), 9, 9, 5, 0, NULL, '[]', 0)`),
      "row 1 of flag_feedback has a rating",
    ],
    ["has another index", update("CREATE INDEX i ON forms (name)"), 'the index "i" does not belong'],
    [
      "lacks an index",
      update("DROP INDEX submissions_by_state"),
      'the index "submissions_by_state" is missing',
    ],
    [
      "has a table with another default",
      alter("DEFAULT '{}'", "DEFAULT '[]'"),
      'the table "environments" is not as formflag creates it',
    ],
    ["claims an older schema", update("PRAGMA user_version = 1"), "does not belong"],
    ["is newer", update("PRAGMA user_version = 99"), "newer formflag"],
    ["is of another program", update("PRAGMA application_id = 4711"), "another program"],
    ["names a file elsewhere", update("UPDATE files SET blob_key = '../' || blob_key"), "a blob_key that"],
    [
      "names a file of another submission",
      update("UPDATE files SET blob_key = replace(blob_key, '.1', '.9')"),
      "not named by its submission",
    ],
    ["skips a file", update("DELETE FROM files WHERE position = 1"), "not numbered from 1"],
    ["refers to what is missing", update("DELETE FROM forms"), "refers to one of forms that is missing"],
    ["counts no changes", update("DELETE FROM setup_version"), "setup_version is empty"],
    ["has a key that can be guessed", update("UPDATE forms SET key = 'x'"), "a key that"],
    ["has a slug that is a path", update("UPDATE forms SET slug = '../x'"), "a slug that"],
    [
      "allows an origin that is none",
      update("UPDATE forms SET allowed_origins = '[\"null\"]'"),
      "allowed_origins",
    ],
    [
      "blocks a sender that is none",
      update("UPDATE forms SET blocked_senders = '[\"::1/x\"]'"),
      "blocked_senders",
    ],
    [
      "has a setting that there is not",
      update("UPDATE forms SET settings = '{\"toString\":1}'"),
      "a settings that",
    ],
    [
      "allows a type that is none",
      update('UPDATE forms SET settings = \'{"allowedTypes":["*"]}\''),
      "a settings that",
    ],
    [
      "opens at no time",
      update('UPDATE forms SET settings = \'{"opensAt":"2027-13-01T00:00:00.000Z"}\''),
      "a settings that",
    ],
    [
      "has a limit of nothing",
      update("UPDATE forms SET settings = '{\"maxSubmissions\":0}'"),
      "a settings that",
    ],
    ["has a time past all", update("UPDATE forms SET created_at = 9e18"), "a created_at that"],
    ["has a switch that is neither on nor off", update("UPDATE forms SET uploads = 2"), "a uploads that"],
    [
      "has JSON that exhausts the stack",
      update("UPDATE submissions SET data = '{\"a\":' || replace(hex(zeroblob(100000)), '00', '[')"),
      "a data that",
    ],
    ["has data that is no object", update("UPDATE submissions SET data = '[]'"), "a data that"],
    [
      "has a value too large to read",
      update("UPDATE forms SET name = hex(zeroblob(17000000))"),
      "a row of forms has a value larger than",
    ],
    [
      "names code by control characters",
      update(
        `INSERT INTO projects (slug, name, key, created_at) VALUES ('p', 'p', 'aaaa-bbbb-cccc', 1);
         INSERT INTO code_uploads (project_id, branch, name, repository_url, uploaded_at)
         SELECT max(id), char(27), 'web', 'javascript:alert(1)', 1 FROM projects`,
      ),
      "a branch that formflag never writes\nrow 1 of code_uploads has a repository_url that",
    ],
    [
      "has code references without a line",
      update(
        `INSERT INTO projects (slug, name, key, created_at) VALUES ('p', 'p', 'aaaa-bbbb-cccc', 1);
         INSERT INTO code_uploads (project_id, branch, name, uploaded_at) SELECT max(id), 'a', 'web', 1 FROM projects;
         INSERT INTO code_references (upload_id, slug, part, places) VALUES (last_insert_rowid(), 'a', 0, '[["a.ts",0,""]]')`,
      ),
      "a places that",
    ],
    [
      "gives a token a scope that there is not",
      update(
        "INSERT INTO tokens (name, hash, scopes, created_at) VALUES ('t', hex(zeroblob(32)), '[\"__proto__\"]', 1)",
      ),
      "a scopes that",
    ],
    [
      "has a password that takes gigabytes to check",
      update(
        `INSERT INTO users (name, role, password, settings, created_at) VALUES
         ('u', 'admin', '$argon2id$v=19$m=4194304,t=9,p=1$' || substr(hex(zeroblob(22)), 2) || '$' || substr(hex(zeroblob(22)), 2), '{}', 1)`,
      ),
      "a password that",
    ],
    [
      "has a user with a role that there is not",
      update("INSERT INTO users (name, role, settings, created_at) VALUES ('u', 'owner', '{}', 1)"),
      "a role that",
    ],
    [
      "has a table without an end",
      (db) => {
        const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'submissions'";
        makeEndless(db, Number(db.query(sql).values()[0]![0]));
      },
      "out of order",
    ],
    [
      "has a schema without an end",
      (db) => makeEndless(db, 1),
      "its schema is not one that formflag creates",
    ],
  ];

  test.each(cases)("%s", async (_what, change, message) => {
    const file = join(tempDirectory(), "forged.db");
    writeFileSync(file, entries[1]!.data!);
    const db = new Database(file);
    change(db);
    db.close();
    expect(await faultsOf(file)).toContain(message);
  });

  test("is empty, or no database", async () => {
    const file = join(tempDirectory(), "empty.db");
    for (const text of ["", "no database ".repeat(1000)]) {
      writeFileSync(file, text);
      expect(await faultsOf(file)).toBe("its schema is not one that formflag creates");
    }
  });
});

test("the counts of a forged backup are not believed: they are those of its submissions", async () => {
  const file = forgeDatabase((db) => {
    db.run("UPDATE submission_counts SET count = 1000000");
    db.run("INSERT INTO submission_counts SELECT id, 1, 1, 9007199254740991, 5 FROM forms");
  });
  const restored = onData(join(tempDirectory(), "data"));
  await restored.run("backup", "restore", await packArchive(file));
  expect((await restored.run("check")).stdout).toContain("all is well");
  expect(await restored.json("stats")).toMatchObject({
    forms: [{ form: "contact", inbox: 2, unread: 2, spam: 0 }],
  });
});

test.each(MIGRATIONS.map((_, index) => index + 1))(
  "a backup of schema %d is sound, and restored as it is until it is used",
  async (version) => {
    const file = join(tempDirectory(), "old.db");
    const db = new Database(file);
    for (const sql of MIGRATIONS.slice(0, version)) db.run(sql);
    // A backup has no search index.
    for (const table of ["submission_search", "submission_positions", "search_removals"])
      db.run(`DROP TABLE IF EXISTS ${table}`);
    db.run(`PRAGMA user_version = ${version}`);
    db.run("PRAGMA application_id = 0x66666c67");
    db.run(
      "INSERT INTO projects (slug, name, key, created_at) VALUES ('shop', 'Shop', 'abcd-efgh-1234', 1700000000000)",
    );
    db.close();
    const data = readFileSync(file);
    const sha256 = new Bun.CryptoHasher("sha256").update(data).digest("hex");
    const about = { format: 1, program: "formflag 0.0.1", createdAt: "2026-01-02T03:04:05.678Z" };
    const head = JSON.stringify({ ...about, submissions: 0, files: 0, bytes: 0 }).slice(0, -1);
    const line = JSON.stringify({ path: "formflag.db", size: data.byteLength, sha256 });
    const archive = await rewrite([
      { ...entries[0]!, data: bytesOf(`${head},"entries":[\n${line}\n]}\n`) },
      { ...entries[1]!, data },
    ]);
    expect(await formflag(["backup", "verify", archive])).toMatchObject({ code: 0, stderr: "" });
    const restored = onData(join(tempDirectory(), "data"));
    const { data: path } = await restored.json<{ data: string }>("backup", "restore", archive);
    using copy = new Database(join(path, "formflag.db"), { readonly: true });
    expect(copy.query("PRAGMA user_version").values()).toEqual([[version]]);
    copy.close();
    const { stderr } = await restored.run("projects", "create", "blog");
    const projects = await restored.json<{ slug: string }[]>("projects", "list");
    expect(projects.map(({ slug }) => slug).toSorted()).toEqual(["blog", "shop"]);
    const before = join(path, `formflag.db.before-${version + 1}`);
    expect(existsSync(before)).toBe(version < MIGRATIONS.length);
    expect(stderr).toBe(
      version < MIGRATIONS.length
        ? `migrated the database from schema ${version} to ${MIGRATIONS.length}; as it was before, it is kept as ${before}\n`
        : "",
    );
  },
);
