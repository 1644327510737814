import { join } from "node:path";
import { expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { programAt } from "../../support/needs.ts";

type Submission = { id: string; state: string; spam: string | null; read: boolean };

const server = await startServer();
const commands = onData(server.data);
const { key } = await commands.json<{ key: string }>("forms", "create", "contact");
const { token } = await commands.json<{ token: string }>("tokens", "create", "remote");

async function submit(fields: object, to = key): Promise<string> {
  const answer = await fetch(`${server.url}/v1/s/${to}?mode=rest`, {
    method: "POST",
    body: JSON.stringify(fields),
    headers: { "Content-Type": "application/json" },
  });
  return ((await answer.json()) as { id: string }).id;
}

const ann = await submit({ name: "Ann Müller", topic: "billing", text: "東京都" });
const ben = await submit({ name: "Ben", topic: "Billing" });
const cat = await submit({ name: "Cat" });

const remote = (...args: string[]) =>
  formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: token } });
const list = (...args: string[]) => commands.run("submissions", "list", "contact", ...args);
const idsIn = ({ stdout, stderr, code }: Awaited<ReturnType<typeof list>>) => {
  expect([code, stderr]).toEqual([0, ""]);
  return (JSON.parse(stdout) as Submission[]).map(({ id }) => id);
};

test("a list is searched and filtered, here and on a server", async () => {
  for (const run of [commands.run, remote]) {
    const found = async (...args: string[]) =>
      idsIn(await run("submissions", "list", "contact", "--json", ...args));
    expect(await found("--search", "muller ann")).toEqual([ann]);
    expect(await found("--search", "京都")).toEqual([ann]);
    expect(await found("--search", 'NEAR("a* b')).toEqual([]);
    expect(await found("--field", "topic=billing")).toEqual([ben, ann]);
    expect(await found("--field", "topic=billing", "--field", "name=ben", "--since", "1h")).toEqual([ben]);
    expect(await found("--until", "1h")).toEqual([]);
    expect(await found("--since", "2020-01-01", "--unread")).toEqual([cat, ben, ann]);
  }
});

test("--field prints a field with a name, and filters with a name and a text", async () => {
  const { stdout } = await list("--field", "topic=billing", "--field", "id");
  expect(stdout).toBe(`${ben}\n${ann}\n`);
  expect((await list("--field", "data.name")).stdout).toBe("Cat\nBen\nAnn Müller\n");
  expect((await list("--field", "id", "--json")).code).toBe(2);
});

test("the command for the next page has the filters", async () => {
  const { stderr } = await list(
    "--search",
    "b",
    "--field",
    "topic=it's",
    "--unread",
    "--limit",
    "1",
    "--all",
  );
  expect(stderr).toBe("");
  const next = await list(
    "--field",
    "topic=billing",
    "--unread",
    "--all",
    "--limit",
    "1",
    "--since",
    "2020-01-01",
  );
  expect(next.stderr).toContain(
    `1 submission; older ones: formflag submissions list contact --before ${ben} --where 'topic=billing' --since 2020-01-01T00:00:00.000Z --unread --all --limit 1`,
  );
});

test("an export is filtered as a list is", async () => {
  const file = join(tempDirectory(), "out.jsonl");
  const { code } = await commands.run(
    "submissions",
    "export",
    "contact",
    "--search",
    "ben",
    "--field",
    "topic=billing",
    "-o",
    file,
  );
  expect(code).toBe(0);
  expect(JSON.parse(await Bun.file(file).text())).toMatchObject({ id: ben, read: false, meta: null });
});

test("submissions are marked, all or none", async () => {
  const form = await commands.json<{ key: string }>("forms", "create", "marked");
  const ids = [
    await submit({ n: 1 }, form.key),
    await submit({ n: 2 }, form.key),
    await submit({ n: 3 }, form.key),
  ];
  const [one, two, three] = ids as [string, string, string];
  const marked = async (folder: string) =>
    idsIn(await commands.run("submissions", "list", "marked", folder, "--json"));
  const mark = (...args: string[]) => commands.run("submissions", "mark", ...args);
  expect((await mark(one, two, "spam")).stdout).toBe("marked 2 submissions as spam\n");
  expect((await mark(one, three, "spam")).stdout).toBe("marked 1 submission as spam; 1 already was\n");
  const unknown = "01a1fc49-92a7-75da-ab11-1c9958800353";
  expect(await mark(one, unknown, "inbox")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(unknown),
  });
  expect(await marked("--spam")).toEqual([three, two, one]);
  expect((await commands.run("submissions", "get", one)).stdout).toMatch(/^spam +manual\n.*read +no$/m);
  expect(await remote("submissions", "mark", one, "archived", "--json")).toMatchObject({
    code: 0,
    stdout: '{\n  "mark": "archived",\n  "changed": 1\n}\n',
  });
  expect(await marked("--archived")).toEqual([one]);
  expect((await mark(one, two, three, "inbox")).code).toBe(0);
  await mark(one, "read");
  expect(await marked("--unread")).toEqual([three, two]);
});

test.each([
  [["mark"], "name submissions and a mark"],
  [["mark", ann], "is not a mark"],
  [["mark", "spam"], "at least one submission"],
  [["mark", ann, "deleted"], "deleted is not a mark"],
  [["mark", ...Array<string>(1001).fill(ann), "read"], "at most 1000 submissions at a time"],
  [["list", "contact", "--since", "soon"], "--since soon is not a time"],
  [["list", "contact", "--until", "2027-02-31"], "is not a time"],
  [["list", "contact", "--search", "***"], "the search has no word"],
  [["list", "contact", "--archived", "--spam"], "--archived"],
  [["export", "contact", "--field", "name"], "--where name has no text"],
])("submissions %j is refused", async (args, words) => {
  const { code, stderr } = await commands.run("submissions", ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});

test("a restored backup has no index, and is searched at once", async () => {
  const archive = join(tempDirectory(), "backup.tar");
  const restored = onData(join(tempDirectory(), "data"));
  await list("--search", "ann");
  expect((await commands.run("backup", "create", "-o", archive)).code).toBe(0);
  expect((await formflag(["backup", "verify", archive])).code).toBe(0);
  expect((await restored.run("backup", "restore", archive)).code).toBe(0);
  expect(await restored.json<{ problems: unknown[] }>("check")).toMatchObject({ problems: [] });
  expect(
    idsIn(await restored.run("submissions", "list", "contact", "--all", "--search", "ann", "--json")),
  ).toEqual([ann]);
  expect(await restored.json<{ problems: unknown[] }>("check")).toMatchObject({ problems: [] });
});

const tar = programAt("tar", "a database taken out of a backup by hand");

test.skipIf(!tar)("a database taken out of a backup by hand is searched too", async () => {
  const [archive, data] = [join(tempDirectory(), "backup.tar"), tempDirectory()];
  await commands.run("backup", "create", "-o", archive);
  expect(await Bun.spawn(["tar", "-xf", archive, "-C", data]).exited).toBe(0);
  const byHand = onData(data);
  expect(
    idsIn(await byHand.run("submissions", "list", "contact", "--all", "--search", "ann", "--json")),
  ).toEqual([ann]);
  expect((await byHand.run("submissions", "delete", ann, "--yes")).code).toBe(0);
  expect(
    idsIn(await byHand.run("submissions", "list", "contact", "--all", "--search", "ann", "--json")),
  ).toEqual([]);
});
