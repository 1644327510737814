import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { environment } from "../support/commands.ts";
import { EXECUTABLE, runExecutable } from "../support/executable.ts";
import { eventually } from "../support/eventually.ts";
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

/** Commands on the data of a demo. */
function commandsOn(data: string) {
  const run = (...args: string[]) => runExecutable([...args, "--data", data]);
  /** The rows of a list, whatever it names them. */
  const list = async (...args: string[]) => {
    const { stdout } = await run(...args, "--json");
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    return [answer, ...Object.values(answer)].find(Array.isArray) as Record<string, unknown>[];
  };
  /** The fields of the submissions of all forms. */
  const messages = async (...folder: string[]) => {
    const forms = ["contact", "feedback", "booking"];
    const exports = await Promise.all(forms.map((form) => run("submissions", "export", form, ...folder)));
    const lines = exports.flatMap(({ stdout }) => stdout.split("\n").filter(Boolean));
    return lines.map((line) => (JSON.parse(line) as { data: Record<string, unknown> }).data);
  };
  return { run, list, messages };
}

test("a demo has six weeks of messages, releases, experiments and reads, and removes them at the end", async () => {
  // Variables of a real server, which a demo leaves alone.
  const env = { FORMFLAG_LISTEN: "127.0.0.1:1", FORMFLAG_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
  const { link, folders, temporary, stop } = await startDemo([], env);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/link\/[\w-]+$/);
  expect((await fetch(link)).status).toBe(200);

  const [folder] = folders();
  const { list, messages } = commandsOn(join(temporary, folder!));
  expect(await messages("--all")).toHaveLength(400);
  expect(await messages("--spam")).toHaveLength(40);
  expect(await list("flags", "list", "-p", "shop", "-e", "production")).toHaveLength(12);
  const experiments = await list("experiments", "list", "-p", "shop", "-e", "production");
  expect(experiments).toMatchObject([
    { name: "letters", status: "ended" },
    { name: "prices", status: "ended" },
    { name: "ranking", status: "running" },
  ]);
  expect(await list("users", "list")).toMatchObject([{ name: "hanna" }, { name: "jonas" }, { name: "mara" }]);
  // The server has tried the target by itself.
  await eventually("the target has failed", async () =>
    (await list("today")).some(({ kind }) => kind === "target"),
  );
  expect(await list("today")).toMatchObject([
    { kind: "ramp", title: "gift-wrapping stopped at 25 % in production" },
    { kind: "target", title: expect.stringContaining("takes nothing from contact") },
    { kind: "proposal", title: expect.stringContaining("jonas proposes") },
    { kind: "unread", title: expect.stringContaining("7 unread") },
    { kind: "stale" },
  ]);
  const [reads] = await list("flags", "reads", "checkout", "-p", "shop");
  expect(reads!["reads"]).toBeGreaterThan(1000);

  expect(await stop()).toBe(0);
  expect(folders()).toEqual([]);
});

test("the winner of the demo's experiment has reached everyone, and every target is an address of this machine", async () => {
  const keep = join(tempDirectory(), "shop");
  const { stop } = await startDemo(["--keep", keep]);
  await stop();
  const { run, list } = commandsOn(keep);
  const place = ["-p", "shop", "-e", "production", "--json"];
  const results = await run("experiments", "results", "prices", ...place);
  expect(JSON.parse(results.stdout)).toMatchObject({ winner: "net" });
  const flag = await run("flags", "get", "price-display", ...place);
  expect(JSON.parse(flag.stdout)).toMatchObject({ payload: "net" });
  const targets = [
    ...(await list("targets", "list", "contact")),
    ...(await list("targets", "list", "-p", "shop")),
  ];
  expect(targets.map(({ target }) => target)).toEqual(Array(2).fill("slack:http://127.0.0.1:9/…"));
  expect(await run("audit", "verify")).toMatchObject({ code: 0 });
});

test("a demo has a beta, whose people confirm, are approved and welcomed, and answer with what they saw", async () => {
  const keep = join(tempDirectory(), "shop");
  await (await startDemo(["--keep", keep])).stop();
  const { run, list } = commandsOn(keep);
  const place = ["-p", "shop", "-e", "production"];
  const count = async (...args: string[]) => (await list(...args)).length;
  expect(await count("segments", "members", "beta-testers", ...place)).toBe(6);
  expect(await count("segments", "members", "beta-testers", ...place, "--pending")).toBe(2);
  expect(await count("submissions", "list", "beta-signup")).toBe(8);
  expect(await count("submissions", "list", "beta-signup", "--unconfirmed")).toBe(2);
  const deliveries = await list("deliveries", "list", "--form", "beta-signup", "--limit", "100");
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(["delivered"]));
  expect(deliveries.filter(({ kind }) => kind === "welcome")).toHaveLength(6);
  const answers = ["submissions", "list", "beta-feedback", "--flag"];
  expect(await count(...answers, "checkout=on")).toBe(6);
  expect(await count(...answers, "checkout=on", "--flag", "search-ranking=off")).toBe(3);
  const context = (email: string) => JSON.stringify({ targetingKey: email, email });
  for (const [email, value] of [
    ["ann.hughes@example.com", true],
    ["greta.steiner@example.com", false],
  ] as const) {
    const read = await run("flags", "evaluate", "checkout", ...place, "--context", context(email), "--json");
    expect(JSON.parse(read.stdout)).toMatchObject({ value });
  }
  // Changes of production need approvals, and members are none.
  const approved = await run(
    "segments",
    "approve",
    "beta-testers",
    "--all",
    ...place,
    "--confirm",
    "production",
  );
  expect(approved).toMatchObject({ code: 0, stdout: "segment beta-testers in shop/production: 8 members\n" });
});

test("each demo has the same messages, and keys of its own", async () => {
  const demos = await Promise.all(
    ["one", "two"].map(async () => {
      const keep = join(tempDirectory(), "shop");
      await (await startDemo(["--keep", keep])).stop();
      const { list, messages } = commandsOn(keep);
      // Days of bookings are relative to now.
      const texts = (await messages("--all")).map((data) => JSON.stringify({ ...data, date: null }));
      const keys = (await list("forms", "list")).map(({ key }) => key);
      return { texts: texts.toSorted(), keys };
    }),
  );
  expect(demos[0]!.texts).toEqual(demos[1]!.texts);
  expect(demos[0]!.keys).not.toEqual(demos[1]!.keys);
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
