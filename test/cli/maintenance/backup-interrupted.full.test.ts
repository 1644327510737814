import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { holdLock } from "../../../src/store/sqlite/lock.ts";
import { makeArchive, rewrite, submissionsIn } from "../../support/records/archive.ts";
import { eventually } from "../../support/eventually.ts";
import { formflag, onData } from "../../support/commands.ts";
import { EXECUTABLE, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { programAt } from "../../support/needs.ts";

const { archive, entries } = await makeArchive();

/** A data directory restored from the archive. */
async function restored(data = join(tempDirectory(), "data")): Promise<string> {
  expect((await onData(data).run("backup", "restore", archive)).code).toBe(0);
  return data;
}

/** Runs a command whose output has a reader that goes away at once. */
async function intoClosedPipe(...args: string[]) {
  const script = '"$0" "$@" | true; echo "${PIPESTATUS[0]}"';
  const child = Bun.spawn(["bash", "-c", script, EXECUTABLE, ...args], { stdout: "pipe", stderr: "pipe" });
  const stderr = await new Response(child.stderr).text();
  return { code: Number(await new Response(child.stdout).text()), stderr };
}

describe.skipIf(!programAt("bash", "a reader that goes away"))("a reader that goes away", () => {
  test("makes a backup fail, and leaves nothing of it", async () => {
    const data = await restored();
    const { code, stderr } = await intoClosedPipe("backup", "create", "-o", "-", "--data", data);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^error: the reader of standard output went away.*\nhint: .*\n$/),
    });
    expect(existsSync(join(data, "backup.tmp"))).toBe(false);
    expect(readdirSync(join(data, "uploads", "staging"))).toEqual([]);
  });

  test("leaves a check its exit code", async () => {
    const broken = await rewrite(entries.slice(0, -1));
    expect(await intoClosedPipe("backup", "verify", broken)).toEqual({ code: 1, stderr: "" });
    expect(await intoClosedPipe("backup", "verify", archive)).toEqual({ code: 0, stderr: "" });
  });
});

test("what a killed process left beside its output is removed by the next one, and not while it lives", async () => {
  const [data, folder] = [await restored(), tempDirectory()];
  const partial = join(import.meta.dir, "../../../cli/data/partial.ts");
  const script = `
    import { openPartial } from ${JSON.stringify(partial)};
    const { path } = openPartial(${JSON.stringify(folder)});
    require("node:fs").writeFileSync(path("file"), "half");
    console.log("ready");
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  afterAll(() => child.kill("SIGKILL"));
  const parts = () => readdirSync(folder).filter((name) => name.endsWith(".part"));
  await eventually("it writes", () => parts().some((name) => existsSync(join(folder, name, "file"))));
  const create = (name: string) => onData(data).run("backup", "create", "-o", join(folder, name));
  expect((await create("a.tar")).code).toBe(0);
  expect(parts()).toHaveLength(1);
  child.kill("SIGKILL");
  await child.exited;
  mkdirSync(join(folder, "formflag-not-ours.part"));
  expect((await create("b.tar")).code).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(["a.tar", "b.tar", "formflag-not-ours.part"]);
});

test("processes that make temporary folders in one place at the same moment leave each other's alone", async () => {
  const folder = tempDirectory();
  const partial = join(import.meta.dir, "../../../cli/data/partial.ts");
  const script = `
    import { openPartial } from ${JSON.stringify(partial)};
    for (let round = 0; round < 100; round += 1) {
      using partial = openPartial(${JSON.stringify(folder)});
      require("node:fs").mkdirSync(partial.path("unpacked"));
    }`;
  const children = Array.from({ length: 4 }, () =>
    Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" }),
  );
  for (const child of children) expect(await new Response(child.stderr).text()).toBe("");
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);

describe("a restore that was cut off", () => {
  const texts = async (data: string) => (await submissionsIn(data)).map(({ data }) => data["text"]);
  /** Where `restore --replace` is after the first of its two renames. */
  async function cutBetweenRenames() {
    const parent = tempDirectory();
    const data = join(parent, "data");
    const aside = `${data}.before-restore-20270131T120000Z`;
    const server = await startServer([], { data });
    await server.stop();
    renameSync(data, aside);
    renameSync(await restored(), join(aside, "restore.tmp"));
    return { parent, data, aside };
  }

  test.each([
    ["serve", ["serve", "--listen", "127.0.0.1:0"]],
    ["a command that reads", ["forms", "list"]],
    ["a backup", ["backup", "create", "-o", "/dev/null"]],
  ])("between its renames is finished by %s", async (_what, command) => {
    const { parent, data, aside } = await cutBetweenRenames();
    if (command[0] === "serve") await (await startServer([], { data })).stop();
    else expect(await onData(data).run(...command)).toMatchObject({ code: 0 });
    expect(await texts(data)).toEqual(["two", "one"]);
    expect(readdirSync(parent).toSorted()).toEqual(["data", aside.slice(parent.length + 1)]);
    expect(existsSync(join(aside, "formflag.db"))).toBe(true);
    expect(existsSync(join(aside, "restore.tmp"))).toBe(false);
  });

  test("between its renames is finished before another restore begins", async () => {
    const { data } = await cutBetweenRenames();
    expect(await onData(data).run("backup", "restore", archive)).toMatchObject({ code: 5 });
    expect(await texts(data)).toEqual(["two", "one"]);
  });

  test("is left alone while it is still under way", async () => {
    const { parent, data, aside } = await cutBetweenRenames();
    const unlock = holdLock(join(aside, "backup.lock"));
    const { code, stderr } = await onData(data).run("forms", "list");
    unlock();
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining("under way") });
    expect(readdirSync(parent)).toHaveLength(1);
  });

  test("before the database was in place of an empty directory is finished", async () => {
    const data = await restored();
    const unpacked = join(data, "restore.tmp");
    mkdirSync(unpacked);
    renameSync(join(data, "formflag.db"), join(unpacked, "formflag.db"));
    await (await startServer([], { data })).stop();
    expect(await texts(data)).toEqual(["two", "one"]);
    expect(existsSync(unpacked)).toBe(false);
    expect(await onData(data).json("check")).toMatchObject({ problems: [] });
  });
});

test("serve begins no directory where one was set aside by a restore, until somebody makes it", async () => {
  const data = await restored();
  const { before } = await onData(data).json<{ before: string }>("backup", "restore", archive, "--replace");
  renameSync(data, join(tempDirectory(), "lost"));
  const { code, stderr } = await formflag(["serve", "--listen", "127.0.0.1:0", "--data", data]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`mv ${before} ${data}`) });
  expect(existsSync(data)).toBe(false);
  mkdirSync(data, { mode: 0o700 });
  await (await startServer([], { data })).stop();
});

test("a restore below a file is refused with the path", async () => {
  const data = join(archive, "data");
  const { code, stderr } = await onData(data).run("backup", "restore", archive);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(data) });
});
