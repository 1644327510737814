import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { unpackTar } from "modern-tar";
import { holdLock } from "../../src/store/sqlite/lock.ts";
import { MIGRATIONS, migrate } from "../../src/store/sqlite/migrate.ts";
import { formflag, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

const OLD = MIGRATIONS.length - 1;

/** A data directory of the schema before the newest. */
function oldData(): string {
  const data = tempDirectory();
  const db = new Database(join(data, "formflag.db"), { create: true });
  migrate(db, MIGRATIONS.slice(0, OLD));
  db.run("INSERT INTO projects (slug, name, key, created_at) VALUES ('shop', 'Shop', 'abcd-efgh-1234', 1)");
  db.close();
  mkdirSync(join(data, "uploads"), { mode: 0o700 });
  return data;
}

function schemaIn(file: string): number {
  using db = new Database(file, { readonly: true });
  return Number(db.query("PRAGMA user_version").values()[0]![0]);
}

describe("beside a server of an older formflag", () => {
  test.each([
    ["a command that reads", ["projects", "list"]],
    ["a command that writes", ["projects", "create", "blog"]],
    ["a check", ["check"]],
    ["another server", ["serve", "--listen", "127.0.0.1:0"]],
  ])("%s migrates nothing, and exits 6", async (_what, command) => {
    const data = oldData();
    const file = join(data, "formflag.db");
    // As a server holds it.
    const unlock = holdLock(join(data, "serve.lock"));
    const { code, stdout, stderr } = await formflag([...command, "--data", data]);
    unlock();
    expect({ code, stdout, stderr }).toEqual({
      code: 6,
      stdout: "",
      stderr: expect.stringMatching(/^error: an(other| older) formflag serves .*\nhint: stop it/),
    });
    expect([schemaIn(file), existsSync(`${file}.before-${OLD + 1}`)]).toEqual([OLD, false]);
  });

  test("a backup is made of what is there, and leaves it as it is", async () => {
    const data = oldData();
    const archive = join(tempDirectory(), "before.tar");
    const unlock = holdLock(join(data, "serve.lock"));
    expect((await onData(data).run("backup", "create", "-o", archive)).code).toBe(0);
    unlock();
    expect(schemaIn(join(data, "formflag.db"))).toBe(OLD);
    const [, database] = await unpackTar(await Bun.file(archive).bytes());
    const copy = join(tempDirectory(), "copy.db");
    await Bun.write(copy, database!.data!);
    expect(schemaIn(copy)).toBe(OLD);
    expect((await formflag(["backup", "verify", archive])).code).toBe(0);
  });
});

test.each([
  ["a command", (data: string) => onData(data).json("projects", "list")],
  ["a server", async (data: string) => (await startServer([], { data })).stop()],
  ["a repair", (data: string) => onData(data).json("check", "--repair")],
])("without a server, %s migrates an older database and keeps a copy of it", async (_what, use) => {
  const data = oldData();
  const file = join(data, "formflag.db");
  await use(data);
  expect([schemaIn(file), schemaIn(`${file}.before-${OLD + 1}`)]).toEqual([MIGRATIONS.length, OLD]);
});

test("several commands at the same moment wait for the one that migrates", async () => {
  const data = oldData();
  const runs = await Promise.all(Array.from({ length: 4 }, () => onData(data).run("projects", "list")));
  expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
  const said = runs.map(({ stderr }) => stderr).filter((text) => text !== "");
  expect(said).toEqual([expect.stringMatching(/^migrated the database from schema \d+ to \d+; [^\n]*\n$/)]);
});
