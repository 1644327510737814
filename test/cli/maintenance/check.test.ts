import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

type Result = {
  files: number;
  bytes: number;
  removed: number;
  corrected: number;
  problems: { kind: string; what: string; message: string }[];
};

/** A data directory with three uploaded files, each of six bytes, and a server on it. */
async function openUploads() {
  const server = await startServer();
  const commands = onData(server.data);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const submit = async (...names: string[]) => {
    const form = new FormData();
    for (const name of names) form.append("file", new File(["abcdef"], name));
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body: form });
    return ((await answer.json()) as { id: string }).id;
  };
  const [two, one] = [await submit("a.txt", "b.txt"), await submit("c.txt")];
  const pathOf = (id: string, number: number) =>
    join(server.data, "uploads", id.slice(-2), `${id}.${number}`);
  const check = async (...args: string[]) => {
    const { code, stdout } = await commands.run("check", "--json", ...args);
    return { code, ...(JSON.parse(stdout) as Result) };
  };
  return { server, two, one, pathOf, check, run: commands.run };
}

test("a sound data directory is found sound, beside a running server and without one", async () => {
  const { server, check, run } = await openUploads();
  expect(await check()).toEqual({ code: 0, files: 3, bytes: 18, removed: 0, corrected: 0, problems: [] });
  await server.stop();
  expect(await run("check")).toEqual({
    code: 0,
    stdout: "checked the database and 3 files (18 bytes): all is well\n",
    stderr: "",
  });
});

test("a file that is missing, shorter, or of other bytes is told with its submission", async () => {
  const { two, one, pathOf, check, run } = await openUploads();
  rmSync(pathOf(two, 1));
  writeFileSync(pathOf(two, 2), "abc");
  writeFileSync(pathOf(one, 1), "ABCDEF");
  const { code, problems } = await check();
  expect(code).toBe(1);
  expect(problems).toEqual([
    {
      kind: "missing",
      what: `${two}.1`,
      message: `a.txt of submission ${two} is not among the uploaded files`,
    },
    { kind: "damaged", what: `${two}.2`, message: `b.txt of submission ${two} has 3 bytes instead of 6` },
    {
      kind: "damaged",
      what: `${one}.1`,
      message: `c.txt of submission ${one} has other bytes than were stored`,
    },
  ]);
  const { stdout, stderr } = await run("check");
  // The size alone tells that the second is damaged.
  expect(stdout).toContain("checked the database and 3 files (6 bytes): 3 problems\n");
  expect(stderr).toBe("");
});

test("a repair removes orphans and nothing else, and only while no server runs", async () => {
  const { server, two, one, pathOf, check, run } = await openUploads();
  const orphan = pathOf(two, 3);
  const foreign = join(server.data, "uploads", one.slice(-2), "holiday.jpg");
  writeFileSync(orphan, "left behind");
  writeFileSync(foreign, "mine");
  writeFileSync(pathOf(one, 1), "other");

  const refused = await run("check", "--repair");
  expect([refused.code, existsSync(orphan)]).toEqual([6, true]);
  const found = await check();
  expect(found.problems.map(({ kind }) => kind)).toEqual(["damaged", "orphan"]);
  expect((await run("check")).stdout).toContain("formflag check --repair\n");
  expect(existsSync(orphan)).toBe(true);

  await server.stop();
  expect(await check("--repair")).toMatchObject({ code: 1, removed: 1 });
  expect([orphan, foreign, pathOf(one, 1), pathOf(two, 1)].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect((await check()).problems.map(({ kind }) => kind)).toEqual(["damaged"]);
});

test("wrong counts of submissions are reported, and corrected by a repair", async () => {
  const { server, check, run } = await openUploads();
  await server.stop();
  const db = new Database(join(server.data, "formflag.db"));
  db.run("UPDATE submission_counts SET count = 7");
  db.close();
  expect(await check()).toMatchObject({ code: 1, files: 3, problems: [{ kind: "counts", what: "contact" }] });
  expect((await run("check")).stdout).toContain("formflag check --repair\n");
  expect(await check("--repair")).toMatchObject({ code: 0, removed: 0, corrected: 1 });
  expect(await check()).toMatchObject({ code: 0, problems: [] });
});

test("a damaged database is told, and no file is taken for an orphan", async () => {
  const { server } = await openUploads();
  await server.stop();
  const file = join(server.data, "formflag.db");
  const bytes = Buffer.from(await Bun.file(file).arrayBuffer());
  // The pages behind the first, which holds the schema; as long as there are rows to miss, something is wrong.
  bytes.fill(0x5a, 8192, 8192 + 4096);
  writeFileSync(file, bytes);
  const result = await formflag(["check", "--data", server.data, "--repair"]);
  expect(result.code).toBe(1);
  expect(
    readdirSync(join(server.data, "uploads"), { recursive: true }).filter((name) =>
      /\.\d$/.test(String(name)),
    ),
  ).toHaveLength(3);
});

test("a directory without a database is refused and left as it is", async () => {
  const data = tempDirectory();
  const { code, stderr } = await formflag(["check", "--data", data]);
  expect(code).toBe(3);
  expect(stderr).toContain("has no formflag.db");
  expect(readdirSync(data)).toEqual([]);
});

test("another server cannot be checked", async () => {
  const { code, stderr } = await formflag(["check", "--server", "http://127.0.0.1:1"], {
    env: { FORMFLAG_TOKEN: "ff_x" },
  });
  expect(code).toBe(2);
  expect(stderr).toContain("--data");
});

test("a trigger that somebody added is reported; the statistics of ANALYZE and a table of Litestream are not", async () => {
  const { server, check } = await openUploads();
  await server.stop();
  const db = new Database(join(server.data, "formflag.db"));
  db.run("ANALYZE");
  db.run("CREATE TABLE _litestream_lock (id INTEGER)");
  expect(await check()).toMatchObject({ code: 0, problems: [] });
  db.run("CREATE TRIGGER t AFTER INSERT ON submissions BEGIN DELETE FROM submissions; END");
  db.close();
  const message = 'the trigger "t" does not belong to formflag';
  expect(await check()).toMatchObject({
    code: 1,
    problems: [{ kind: "database", what: "formflag.db", message }],
  });
});
