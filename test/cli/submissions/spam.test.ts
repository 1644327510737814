import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";

type Submission = { id: string; data: Record<string, string>; state: string; spam: string | null };

const server = await startServer();
const commands = onData(server.data);
const { key } = await commands.json<{ key: string }>("forms", "create", "contact");

async function submit(fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(fields);
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

const fine = await submit({ name: "Ann" });
const spam = await submit({ name: "Bot", _gotcha: "x" });
const other = await submit({ name: "Ben" });

const list = (...args: string[]) => commands.json<Submission[]>("submissions", "list", "contact", ...args);
const idsOf = (submissions: Submission[]) => submissions.map(({ id }) => id);

test("a list shows the inbox, the spam folder with its reasons, or everything", async () => {
  expect(idsOf(await list())).toEqual([other, fine]);
  const inSpam = await list("--spam");
  expect(inSpam).toMatchObject([{ id: spam, state: "spam", spam: "honeypot", data: { name: "Bot" } }]);
  expect(idsOf(await list("--all"))).toEqual([other, spam, fine]);
  expect((await commands.run("submissions", "list", "contact")).stdout).not.toContain("SPAM");
  const { stdout } = await commands.run("submissions", "list", "contact", "--spam");
  expect(stdout).toMatch(/^ID +RECEIVED +FILES +SPAM +FIELDS$/m);
  expect(stdout).toMatch(/ honeypot +name=Bot$/m);
  expect((await commands.run("submissions", "list", "contact", "--spam", "--all")).code).toBe(2);
});

test("the hint for the next page keeps the folder", async () => {
  const { stderr } = await commands.run("submissions", "list", "contact", "--all", "--limit", "1");
  expect(stderr).toContain("1 of 3 submissions");
  expect(stderr).toContain(`formflag submissions list contact --before ${other} --all --limit 1`);
});

test("an export has no spam unless it is wanted", async () => {
  const lines = async (...args: string[]) =>
    (await commands.run("submissions", "export", "contact", ...args)).stdout.trim().split(/\r?\n/);
  expect((await lines()).map((line) => (JSON.parse(line) as Submission).id)).toEqual([other, fine]);
  expect((await lines("--spam")).map((line) => (JSON.parse(line) as Submission).spam)).toEqual(["honeypot"]);
  expect(await lines("--format", "csv")).toHaveLength(3);
  const [header, first, second] = await lines("--format", "csv", "--all");
  expect(header).toBe('id,createdAt,state,spam,"name",files');
  expect(first).toMatch(/Z,inbox,,"Ben",$/);
  expect(second).toMatch(/Z,spam,"honeypot","Bot",$/);
});

test("one that is spam says so", async () => {
  expect((await commands.run("submissions", "get", spam)).stdout).toMatch(/^spam +honeypot$/m);
  expect((await commands.run("submissions", "get", fine)).stdout).not.toContain("spam");
});
