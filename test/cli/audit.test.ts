import { Database } from "bun:sqlite";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { auditFileJob } from "../../cli/serve/audit/audit-file.ts";
import type { Log } from "../../cli/serve/log.ts";
import { openApp } from "../../cli/data/open.ts";
import { onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

type Entry = {
  id: number;
  action: string;
  type: string;
  object: string | null;
  details: object;
  hash: string;
};

/** A data directory in which some things were done. */
async function begin() {
  const data = tempDirectory();
  const commands = onData(data);
  const { run } = commands;
  const json = <T>(...args: string[]): Promise<T> => commands.json<T>(...args);
  await run("projects", "create", "shop", "--environments", "live");
  await run("forms", "create", "contact");
  await run("tokens", "create", "ci", "--scope", "flags:write", "-p", "shop", "--yes");
  await run("tokens", "revoke", "ci");
  const spoil = (sql: string) => {
    using db = new Database(join(data, "formflag.db"));
    db.run(sql);
  };
  return { data, run, json, spoil };
}

test("audit list has what commands did, newest first, by filters", async () => {
  const { run, json } = await begin();
  const entries = await json<Entry[]>("audit", "list");
  expect(entries.map(({ action, object }) => [action, object])).toEqual([
    ["token.revoke", "ci"],
    ["token.create", "ci"],
    ["form.create", "contact"],
    ["environment.create", "live"],
    ["project.create", "shop"],
  ]);
  expect(new Set(entries.map(({ type }) => type))).toEqual(new Set(["operator"]));
  expect(entries[1]!.details).toMatchObject({ scopes: ["flags:write"] });
  expect(await json<Entry[]>("audit", "list", "-p", "shop", "--action", "token")).toMatchObject([
    { action: "token.revoke" },
    { action: "token.create" },
  ]);
  expect(await json<Entry[]>("audit", "list", "--limit", "1", "--before", "3")).toMatchObject([{ id: 2 }]);
  expect(await json<Entry[]>("audit", "list", "--until", "2020-01-01")).toEqual([]);
  expect((await run("audit", "list", "--action", "to do")).code).toBe(2);
});

test("a project that was deleted keeps its entries, and one that never was is not found", async () => {
  const { run, json } = await begin();
  expect((await run("projects", "delete", "shop", "--yes")).code).toBe(0);
  expect(await json<Entry[]>("audit", "list", "-p", "shop", "--action", "project")).toMatchObject([
    { action: "project.delete" },
    { action: "project.create" },
  ]);
  expect(await json<Entry[]>("audit", "list", "-p", "shop", "--action", "backup")).toEqual([]);
  for (const command of ["list", "export"]) {
    const { code, stderr } = await run("audit", command, "-p", "unknown");
    expect([code, stderr]).toEqual([3, expect.stringContaining('project "unknown" does not exist')]);
  }
});

test("audit verify finds the chain whole, and where it was changed", async () => {
  const { run, json, spoil, data } = await begin();
  const { head } = await json<{ head: { id: number; hash: string } }>("audit", "verify");
  const kept = `${head.id}:${head.hash}`;
  await run("forms", "create", "other");
  const whole = await run("audit", "verify", "--head", kept);
  expect(whole).toMatchObject({ code: 0 });
  expect(whole.stdout).toContain("6 entries, 1 to 6");
  const copy = join(data, "audit.jsonl");
  await run("audit", "export", "-o", copy);
  expect((await run("audit", "verify", copy, "--head", kept)).code).toBe(0);
  writeFileSync(copy, readFileSync(copy, "utf8").replace("contact", "contakt"));
  expect(await run("audit", "verify", copy)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("the hash of entry 3 does not fit"),
  });
  spoil("UPDATE audit SET who = 'eve' WHERE id = 4");
  expect((await run("audit", "verify")).stdout).toContain("the hash of entry 4 does not fit");
  spoil("DELETE FROM audit WHERE id = 4");
  expect((await run("audit", "verify")).stdout).toContain("entry 3 is followed by 5");
  spoil("DELETE FROM audit WHERE id > 3");
  expect((await run("audit", "verify")).code).toBe(0);
  expect(await run("audit", "verify", "--head", kept)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`entry ${head.id} is not in the log any more`),
  });
  expect((await run("audit", "verify", "--head", "5:abc")).code).toBe(2);
});

test("exports of submissions and backups are recorded before their first byte", async () => {
  const { run, json, data } = await begin();
  await run("submissions", "export", "contact", "--search", "secret words");
  await run("backup", "create", "-o", join(data, "backup.tar"));
  const [backup, exported] = await json<Entry[]>("audit", "list", "--limit", "2");
  expect(exported).toMatchObject({
    action: "submissions.export",
    object: "contact",
    details: { format: "jsonl", filtered: true },
  });
  expect(JSON.stringify(exported)).not.toContain("secret");
  expect(backup).toMatchObject({ action: "backup.create", object: "backup.tar", details: { to: "file" } });
});

test("a file gets every entry once, behind the last one in it, whoever wrote it", async () => {
  const { run, data } = await begin();
  const file = join(data, "audit.jsonl");
  const warnings: string[] = [];
  const log = { line: (_level, text) => void warnings.push(text) } as Log;
  await using app = await openApp({ data, writing: "inline" });
  await (await auditFileJob(app, file, log)).run();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await run("forms", "create", "other");
  writeFileSync(file, `${readFileSync(file, "utf8")}{"id":6,"at":"cut o`);
  const job = await auditFileJob(app, file, log);
  await job.run();
  await job.run();
  const ids = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as Entry).id);
  expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
  expect((await run("audit", "verify", file)).code).toBe(0);
  expect(warnings).toEqual([]);
  await using empty = await openApp({ data: tempDirectory(), writing: "inline" });
  await auditFileJob(empty, file, log);
  expect(warnings.join()).toContain("restored or cut");
});
