import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { Command } from "commander";
import { unpackTar } from "modern-tar";
import { processIo } from "../../cli/output/terminal.ts";
import { buildProgram } from "../../cli/program.ts";
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

  test("the version and the executable of that are said", async () => {
    const data = oldData();
    const unlock = holdLock(join(data, "serve.lock"));
    const executable = { path: "/usr/bin/formflag", file: null };
    await Bun.write(join(data, "serving.json"), JSON.stringify({ version: "0.0.9", executable }));
    const { stderr } = await onData(data).run("status");
    unlock();
    expect(stderr).toStartWith(
      `error: an older formflag serves the data directory ${data}: 0.0.9 of /usr/bin/formflag\n`,
    );
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
  ["a command that writes", (data: string) => onData(data).json("projects", "create", "blog")],
  ["a command that reads and is asked to", (data: string) => onData(data).run("status", "--migrate", "auto")],
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
  const runs = await Promise.all(
    Array.from({ length: 4 }, (_, index) => onData(data).run("projects", "create", `blog-${index}`)),
  );
  expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
  const said = runs.map(({ stderr }) => stderr).filter((text) => text !== "");
  expect(said).toEqual([expect.stringMatching(/^migrated the database from schema \d+ to \d+; [^\n]*\n$/)]);
});

/** Every command that reads stored data, as it is typed. */
const READING =
  `status; today; stats; history; export; diff -f FILE; apply -f FILE --dry-run; whoami; use shop; check; mcp
projects list; projects get shop; projects history shop
environments list -p shop; environments get develop -p shop; environments history develop -p shop
flags get a -p shop -e develop; flags list -p shop; flags stale -p shop; flags cleanup a -p shop; flags usage a -p shop -e develop; flags reads a -p shop -e develop
flags refs list -p shop; flags feedback show a -p shop -e develop; flags feedback export a -p shop -e develop
flags evaluate a -p shop -e develop; flags export -p shop -e develop; flags manifest -p shop
flags history a -p shop; flags scheduled -p shop; flags ramp a -p shop -e develop; flags ramps -p shop
flags snippet -p shop -e develop --key KEY; flags promote a -p shop --from develop --to staging --dry-run
flags import FILE -p shop -e develop --dry-run
changes list -p shop; changes get 1 -p shop; segments get a -p shop -e develop; segments list -p shop -e develop
segments members a -p shop -e develop; segments history a -p shop -e develop; contexts get a -p shop; contexts list -p shop
experiments get a -p shop -e develop; experiments list -p shop -e develop; experiments results a -p shop -e develop
experiments history a -p shop -e develop
forms list; forms get a; forms stats a; forms history a; forms snippet a; feeds list; targets list a; targets get ID
submissions list a; submissions get ID; submissions timeline ID; submissions download ID 1
submissions export a; submissions purge --email ann@example.com --dry-run; submissions mark --matching --form a --dry-run read
deliveries list; deliveries get ID; tokens list; tokens get a; users list; users get ann@example.com
members list -p shop; members invitations -p shop; sessions list; grants list; audit list; audit export; audit verify`
    .split(/;\s|\n/)
    .map((line) => line.trim());

test.each(READING)(
  "%s leaves data with an older schema as it is, and says what migrates it",
  async (line) => {
    const [data, cwd] = [oldData(), tempDirectory()];
    await Bun.write(join(cwd, "a.json"), "{}");
    const words = line
      .replace("FILE", "a.json")
      .replace("KEY", `ff_${"a".repeat(43)}`)
      .replace("ID", "01890a5d-ac96-774b-bcce-b302099a8057");
    const { code, stdout, stderr } = await formflag([...words.split(" "), "--data", data], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 4,
      stdout: "",
      stderr:
        `error: the database in ${data} has schema ${OLD}, and this formflag needs ${OLD + 1}\n` +
        "hint: a command that only reads does not migrate it, except with --migrate auto: formflag serve does, or a command that changes something, and keeps a copy; backup create works as it is\n",
    });
    expect(schemaIn(join(data, "formflag.db"))).toBe(OLD);
    expect(readdirSync(data).filter((name) => name.includes("before"))).toEqual([]);
  },
);

/** The verbs that change something, or that need no stored data. */
const OTHERS = new Set(
  (
    "abort add apply approve archive assign backup completion config copy create delete demo disable docs doctor enable " +
    "healthcheck import install invite label link lock login logout mail mark migrate move note pause promote purge refresh release " +
    "reject remove reply reset restore resume retry revoke rollback rotate scan serve set ship start stop test toggle undo " +
    "uninstall uninvite unlock unschedule upgrade uploads withdraw"
  ).split(" "),
);

test("every command is known to read or to change something", async () => {
  const program = await buildProgram(processIo({}), { write: () => {} });
  const leaves = (command: Command, path: string[]): string[] =>
    command.commands.length === 0
      ? [path.join(" ")]
      : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
  const unknown = leaves(program, []).filter(
    (path) =>
      !OTHERS.has(path.split(" ").at(-1)!) &&
      !READING.some((line) => `${line} `.startsWith(`${path} `)) &&
      !/^(service|config|backup) /.test(path),
  );
  expect(unknown).toEqual([]);
});
