import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { DASHED_KEY } from "../../src/base/ids.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite/migrate.ts";
import { openMigrated } from "../support/database.ts";
import { tempDirectory } from "../support/temp.ts";

/** The migration by which forms are in projects. */
const BEFORE = MIGRATIONS.findIndex((sql) => sql.includes("project_storage"));

/** A database of the schema before, with two forms, one of them deleted, and a row of each table that refers to one. */
function formsWithoutProjects(more: string[] = []): Database {
  const db = new Database(join(tempDirectory(), "formflag.db"), { create: true });
  migrate(db, MIGRATIONS.slice(0, BEFORE));
  const form = (id: number, slug: string, deleted: number) =>
    `INSERT INTO forms (id, slug, name, key, enabled, uploads, allowed_origins, blocked_senders, created_at, updated_at,
       deleted, settings, foreign_ids)
     VALUES (${id}, '${slug}', 'F', 'key-${id}', 1, 0, '[]', '[]', 7, 8, ${deleted}, '{"page":true}', 1)`;
  for (const sql of [
    form(3, "contact", 0),
    form(5, "deleted-x", 1),
    ...[3, 5].flatMap((id) => [
      `INSERT INTO submissions (seq, id, form_id, data, created_at) VALUES (${id}, unhex('${id}0'), ${id}, '{}', 1)`,
      `INSERT INTO files VALUES (${id}, 1, 'f', 'n', 't', 1, 's', 'blob-${id}')`,
      `INSERT INTO submission_marks (submission_seq, mark, who, at) VALUES (${id}, 'read', 'ann', 1)`,
      `INSERT INTO deliveries (id, submission_seq, kind, target, due_at) VALUES (x'0${id}', ${id}, 'webhook', 't', 1)`,
      `INSERT INTO delivery_attempts VALUES (x'0${id}', 1, 1, 1, 200, NULL)`,
      `INSERT INTO targets VALUES ('t${id}', ${id}, 'webhook', 'https://example.com', 1, '[]', 1, 1)`,
      `INSERT INTO autoreplies VALUES (x'0${id}', ${id}, 9)`,
      `INSERT INTO submission_counts VALUES (${id}, 0, 0, 9007199254740991, 1)`,
      `INSERT INTO submission_positions VALUES (${id}, ${id})`,
    ]),
    "INSERT INTO changes (revision, kind, name, at, who) VALUES (4, 'form', 'contact', 1, 'ann')",
    "INSERT INTO changes (revision, kind, name, at, who) VALUES (5, 'project', 'gone', 1, 'ann')",
    ...more,
  ])
    db.run(sql);
  return db;
}

const NO_SETTINGS = { mailFrom: null, accent: null, maxSubmissions: null, maxStorage: null };

const TABLES = [
  "submissions",
  "files",
  "submission_marks",
  "deliveries",
  "delivery_attempts",
  "targets",
  "autoreplies",
  "submission_counts",
  "changes",
  "forms",
];
const countsOf = (db: Database) =>
  Object.fromEntries(
    TABLES.map((table) => [table, db.query(`SELECT count(*) AS n FROM ${table}`).values()[0]![0]]),
  );

describe("forms from before they had projects", () => {
  test("keep everything, and are in default, which is made without environments", async () => {
    const db = formsWithoutProjects();
    const counts = countsOf(db);
    expect(Object.values(counts)).not.toContain(0);
    migrate(db);
    expect(countsOf(db)).toEqual(counts);
    expect(db.query("PRAGMA foreign_key_check").all()).toEqual([]);
    expect(db.query("SELECT id, deleted, project_id, settings, foreign_ids FROM forms").values()).toEqual([
      [3, 0, 1, '{"page":true}', 1],
      [5, 1, null, '{"page":true}', 1],
    ]);
    expect(db.query("SELECT revision, project_id FROM changes ORDER BY revision").values()).toEqual([
      [4, 1],
      [5, null],
    ]);
    const { filename } = db;
    db.close();
    const store = openMigrated(filename);
    expect(await store.projects.list()).toEqual([
      {
        slug: "default",
        name: "default",
        key: expect.stringMatching(DASHED_KEY),
        environments: [],
        ...NO_SETTINGS,
      },
    ]);
    expect(await store.forms.named("contact")).toMatchObject([{ project: "default", slug: "contact" }]);
    await store.close();
  });

  test("are in the project of that name where there is one, and each database makes a key of its own", () => {
    const db = formsWithoutProjects([
      "INSERT INTO projects (id, slug, name, key, created_at) VALUES (9, 'default', 'Mine', 'k', 1)",
    ]);
    migrate(db);
    expect(db.query("SELECT project_id FROM forms WHERE deleted = 0").values()).toEqual([[9]]);
    expect(db.query("SELECT name FROM projects").values()).toEqual([["Mine"]]);
    const keys = Array.from({ length: 4 }, () => {
      const made = formsWithoutProjects();
      migrate(made);
      return made.query("SELECT key FROM projects").values()[0]![0];
    });
    expect(new Set(keys).size).toBe(4);
  });

  test("that were all deleted need no project", () => {
    const db = formsWithoutProjects(["UPDATE forms SET deleted = 1"]);
    migrate(db);
    expect(db.query("SELECT count(*) FROM projects").values()).toEqual([[0]]);
  });

  test("are not migrated while a deletion would take others with it", () => {
    const db = formsWithoutProjects();
    db.run("PRAGMA foreign_keys = ON");
    expect(() => migrate(db)).toThrow("foreign keys");
    expect(db.query("SELECT count(*) FROM submissions").values()).toEqual([[2]]);
  });
});
