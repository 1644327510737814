import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { environment } from "../support/commands.ts";
import { EXECUTABLE, runExecutable } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

/** Starts a demo, and waits until it has printed its link. */
async function startDemo(args: string[], env: Record<string, string> = {}) {
  const temporary = tempDirectory();
  const child = Bun.spawn([EXECUTABLE, "demo", "--no-open", ...args], {
    cwd: temporary,
    env: environment({ TMPDIR: temporary, ...env }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  afterAll(() => child.kill("SIGKILL"));
  const { value } = await child.stdout.getReader().read();
  const link = new TextDecoder().decode(value).trim();
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith("formflag-demo-"));
  const stop = async () => {
    child.kill("SIGINT");
    return child.exited;
  };
  return { link, folders, temporary, stop };
}

test("a demo has forms, submissions, spam, flags, a history and a schedule, and removes them at the end", async () => {
  // Variables of a real server, which a demo leaves alone.
  const env = { FORMFLAG_LISTEN: "127.0.0.1:1", FORMFLAG_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
  const { link, folders, temporary, stop } = await startDemo([], env);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/link\/[\w-]+$/);
  expect((await fetch(link)).status).toBe(200);

  const [folder] = folders();
  /** The rows of a list, whatever it names them. */
  const list = async (...args: string[]) => {
    const { stdout } = await runExecutable([...args, "--json", "--data", join(temporary, folder!)]);
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    return [answer, ...Object.values(answer)].find(Array.isArray) as Record<string, unknown>[];
  };
  expect(await list("submissions", "list")).toHaveLength(11);
  expect(await list("submissions", "list", "--spam")).toHaveLength(2);
  expect(await list("submissions", "list", "--archived")).toHaveLength(1);
  expect(await list("forms", "list")).toHaveLength(2);
  const flags = await list("flags", "list", "-p", "shop", "-e", "production");
  expect(flags.filter(({ targeting }) => targeting)).toHaveLength(2);
  expect(await list("flags", "scheduled", "-p", "shop")).toHaveLength(1);
  expect((await list("history")).length).toBeGreaterThan(5);

  expect(await stop()).toBe(0);
  expect(folders()).toEqual([]);
});

test("a demo keeps its data where it is told to, and takes no directory that holds something", async () => {
  const keep = join(tempDirectory(), "shop");
  const { folders, stop } = await startDemo(["--keep", keep]);
  await stop();
  expect(folders()).toEqual([]);
  expect(existsSync(join(keep, "formflag.db"))).toBe(true);

  expect(await runExecutable(["demo", "--no-open", "--keep", keep])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("is not empty\nhint: name a new directory"),
  });
});

test("a demo that cannot listen leaves nothing behind", async () => {
  const temporary = tempDirectory();
  mkdirSync(join(temporary, "tmp"));
  const env = { TMPDIR: join(temporary, "tmp") };
  const { code } = await runExecutable(["demo", "--no-open", "--listen", "192.0.2.1:1"], { env });
  expect([code, readdirSync(join(temporary, "tmp"))]).toEqual([6, []]);
});
