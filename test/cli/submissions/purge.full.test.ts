import { copyFileSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { atTerminal } from "../../support/terminal.ts";

const ADDRESS = "ada.lovelace@example.com";

/** The files of the database and the uploads in which a text is, in any case. */
function filesWith(data: string, text: string): string[] {
  const entries = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).toString("latin1").toLowerCase().includes(text));
}

/**
 * Submissions of the person and of many others, large and small, by a server; some were deleted, moved or changed since by
 * something that overwrites nothing, as older versions did.
 */
async function openInbox() {
  const server = await startServer();
  const commands = onData(server.data);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
  const send = async (fields: Record<string, string>, file?: string) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    if (file !== undefined) body.append("file", new File([file], `${ADDRESS}.txt`));
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body, headers });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  const ids: string[] = [];
  for (let index = 0; index < 300; index += 1) {
    const text = "x".repeat(index % 20 === 0 ? 9000 : index * 2);
    if (index % 3 === 0)
      ids.push(await send({ email: ADDRESS.toUpperCase(), text }, index < 9 ? `of ${ADDRESS}` : undefined));
    else await send({ email: `person-${index}@example.com`, text });
  }
  using db = new Database(join(server.data, "formflag.db"));
  db.run("PRAGMA busy_timeout = 5000");
  db.run("PRAGMA secure_delete = OFF");
  db.run("PRAGMA foreign_keys = ON");
  for (const id of ids.slice(20, 60))
    db.run("UPDATE submissions SET state = 2, data = data || ' ' WHERE id = unhex(?, '-')", [id]);
  for (const id of ids.slice(40, 90)) db.run("DELETE FROM submissions WHERE id = unhex(?, '-')", [id]);
  return { server, commands, key };
}

const yes = ["submissions", "purge", "--email", ADDRESS, "--yes"];

test("beside a server, no byte of the address is left in the database and the uploads, and the rest is", async () => {
  const { server, commands, key } = await openInbox();
  expect(filesWith(server.data, ADDRESS).length).toBeGreaterThan(3);
  const { ids, ...counts } = await commands.json<{ ids: string[] }>(
    "submissions",
    "purge",
    "--email",
    ADDRESS,
    "--dry-run",
  );
  expect(new Set(ids).size).toBe(50);
  expect(counts).toEqual({
    dryRun: true,
    submissions: 50,
    files: 3,
    mentions: 0,
    forms: [{ project: "default", form: "contact", submissions: 50, files: 3 }],
  });
  const { code, stdout, stderr } = await commands.run(...yes);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "backups are not touched\n" });
  expect(stdout).toMatch(/^contact +50 +3$/m);
  expect(stdout).toContain("deleted 50 submissions and 3 files, and rewrote the database");
  expect(stdout).not.toContain("lovelace");
  expect(server.stderr().includes("lovelace")).toBe(false);
  expect(filesWith(server.data, ADDRESS)).toEqual([]);
  expect(filesWith(server.data, "person-1@example.com")).toHaveLength(1);

  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
    method: "POST",
    body: new URLSearchParams({ a: "1" }),
  });
  expect(answer.status).toBe(200);
  expect((await commands.run("check")).code).toBe(0);
});

test("by a server the same, and the command names what is out of reach there", async () => {
  const { server, commands } = await openInbox();
  const { token } = await commands.json<{ token: string }>(
    "tokens",
    "create",
    "eraser",
    "--scope",
    "forms:write",
  );
  const remote = { env: { FORMFLAG_SERVER: server.url, FORMFLAG_TOKEN: token } };
  const { code, stderr } = await formflag([...yes, "--json"], remote);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "older copies of the database and backups on the server are not touched\n",
  });
  expect(filesWith(server.data, ADDRESS)).toEqual([]);
  await server.stop();
  const log = server.stderr();
  expect([log.includes("/submissions/purge"), log.includes("lovelace")]).toEqual([true, false]);
});

test("without a server the same, and older copies are named", async () => {
  const { server, commands } = await openInbox();
  await server.stop();
  const copy = join(server.data, "formflag.db.before-9");
  copyFileSync(join(server.data, "formflag.db"), copy);
  const { code, stderr } = await commands.run(...yes);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `not touched, and may hold what was deleted: ${copy}, and backups\n`,
  });
  expect(filesWith(server.data, ADDRESS)).toEqual([copy]);
});

test("a reader of the old state is reported, and the same purge ends the work once it has gone", async () => {
  const { server, commands } = await openInbox();
  const reader = new Database(join(server.data, "formflag.db"));
  afterAll(() => reader.close());
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM submissions").get();
  const { code, stderr } = await commands.run(...yes);
  expect(code).toBe(6);
  expect(stderr).toContain("50 submissions were deleted, but the database file was not rewritten");
  expect(stderr).toContain("repeat the same command");
  expect(stderr).not.toContain("lovelace");
  reader.run("ROLLBACK");
  expect((await commands.run(...yes)).stdout).toContain("deleted 0 submissions");
  expect(filesWith(server.data, ADDRESS)).toEqual([]);
});

test("at a terminal the counts are shown before the question", async () => {
  const data = tempDirectory();
  const commands = onData(data);
  const { id } = await seed(data);
  const args = ["submissions", "purge", "--email", "eve@example.com", "--data", data];
  const no = atTerminal(args);
  await no.shows("would delete 1 submission and 0 files");
  await no.shows("Delete them? (y or n)");
  no.type("\r");
  expect((await no.ends()).code).toBe(1);
  expect((await commands.run("submissions", "get", id)).code).toBe(0);
  const agreed = atTerminal(args);
  await agreed.shows("Delete them? (y or n)");
  agreed.type("y\r");
  expect(await agreed.ends()).toMatchObject({
    code: 0,
    screen: expect.stringContaining("deleted 1 submission and"),
  });
  expect((await commands.run("submissions", "get", id)).code).toBe(3);
});

async function seed(data: string): Promise<{ id: string }> {
  const server = await startServer([], { data });
  const { key } = await onData(data).json<{ key: string }>("forms", "create", "contact");
  const body = new URLSearchParams({ email: "eve@example.com" });
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
  await server.stop();
  return (await answer.json()) as { id: string };
}

test("no word of the person is left in the search index", async () => {
  const server = await startServer();
  const commands = onData(server.data);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact");
  for (const email of [ADDRESS, "bob@example.com", ADDRESS]) {
    const body = new URLSearchParams({ email });
    expect((await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body })).status).toBe(200);
  }
  expect(await commands.json("submissions", "list", "contact", "--search", "lovelace")).toHaveLength(2);
  expect((await commands.run(...yes)).code).toBe(0);
  expect(filesWith(server.data, "lovelace")).toEqual([]);
  expect(await commands.json("submissions", "list", "contact", "--search", "bob")).toHaveLength(1);
});

test("wrong use changes nothing", async () => {
  const data = tempDirectory();
  const commands = onData(data);
  await seed(data);
  const wrong: [string[], number, string][] = [
    [["--email", "eve@example.com"], 2, "add --yes"],
    [["--yes"], 2, "say what to search for"],
    [
      ["--email", "eve@example.com", "--field", "email=eve@example.com", "--yes"],
      2,
      "--email and --where exclude each other",
    ],
    [["--where", "eve@example.com", "--yes"], 2, "--email eve@example.com"],
    [["--field", "email=", "--yes"], 2, "--where email=TEXT"],
    [["--email", "eve", "--yes"], 2, "an address looks like"],
    [["--email", "", "--yes"], 2, "empty"],
    [["--email", "eve@example.com", "--form", "nothing", "--yes"], 3, "nothing"],
  ];
  for (const [args, code, text] of wrong) {
    const result = await commands.run("submissions", "purge", ...args);
    expect([args, result.code]).toEqual([args, code]);
    expect(result.stderr).toContain(text);
  }
  const counts = await commands.json("submissions", "purge", "--field", "email=EVE@example.com", "--dry-run");
  expect(counts).toMatchObject({ submissions: 1 });
});
