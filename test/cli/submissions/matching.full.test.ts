import { expect, test } from "bun:test";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer } from "../../support/executable.ts";

type Bulk = { total: number; ids: string[] };

/** A server with two forms, and commands on it, here and from elsewhere. */
async function openForms() {
  const server = await startServer();
  const commands = onData(server.data);
  const { key } = await commands.json<{ key: string }>("forms", "create", "contact");
  await commands.run("forms", "create", "orders", "--notify", "ann@example.com");
  const { token } = await commands.json<{ token: string }>("tokens", "create", "ci");
  const remote = (...args: string[]) =>
    formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: token } });

  const submit = async (fields: object) => {
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      body: JSON.stringify(fields),
      headers: { "Content-Type": "application/json" },
    });
    return ((await answer.json()) as { id: string }).id;
  };
  return { key, commands, remote, submit };
}

test("what is listed of all forms can be marked and deleted by the same options, here and on a server", async () => {
  const { commands, remote, submit } = await openForms();
  const ids = [
    await submit({ word: "casino" }),
    await submit({ word: "casino" }),
    await submit({ word: "x" }),
  ];
  const tested = await commands.json<{ id: string }>("forms", "test", "orders");
  const { stdout } = await remote("submissions", "list");
  expect(stdout).toContain("FORM");
  expect(stdout.match(/orders|contact/g)).toEqual(["orders", "contact", "contact", "contact"]);
  expect((await commands.run("submissions", "list", "--limit", "1")).stderr).toContain(
    `submissions list --before ${tested.id} --limit 1`,
  );
  const search = ["--matching", "--search", "casino"];
  expect((await remote("submissions", "mark", ...search, "--dry-run", "spam")).stdout).toBe(
    "2 submissions selected\n",
  );
  const marked = await remote("submissions", "mark", ...search, "spam", "--json");
  expect((JSON.parse(marked.stdout) as Bulk).ids.toSorted()).toEqual(ids.slice(0, 2));
  const refused = await commands.run("submissions", "delete", "--matching", "--spam");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--yes")] as never);
  const spam = [
    "submissions",
    "delete",
    "--matching",
    "--spam",
    "--form",
    "contact",
    "--field",
    "word=Casino",
  ];
  expect((await commands.run(...spam, "--dry-run")).stdout).toBe("would delete 2 submissions\n");
  expect((await commands.run(...spam, "--yes")).stdout).toBe("deleted 2 submissions\n");
  const several = await commands.run("submissions", "delete", ids[0]!, ids[2]!, "--yes");
  expect(several.stdout).toBe("deleted 1 submission; 1 does not exist\n");
  const left = await commands.json<{ id: string }[]>("submissions", "list", "--all");
  expect(left.map(({ id }) => id)).toEqual([tested.id]);
});

test("a timeline shows who marked a submission, and where it goes", async () => {
  const { key, commands, remote } = await openForms();
  const { id } = await commands.json<{ id: string }>("forms", "test", "orders");
  await remote("submissions", "mark", id, "read");
  const stdout = await eventually("the delivery waits for a mail server", async () => {
    const shown = (await commands.run("submissions", "timeline", id)).stdout;
    return shown.includes("no mail server") ? shown : undefined;
  });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/)[1])).toEqual(["EVENT", "stored", "queued", "marked"]);
  expect(lines[2]).toContain("notification ann@example.com");
  expect(lines[3]).toMatch(/ci +read$/);
  expect((await remote("submissions", "timeline", id)).stdout).toBe(stdout);
  expect((await commands.run("submissions", "timeline", key)).code).toBe(3);
});

test.each([
  "mark --matching",
  "mark --matching some-id read",
  "mark some-id read --unread",
  "mark some-id read --dry-run",
  "mark --matching --field topic read",
  "delete --matching some-id --yes",
  "delete --spam --yes",
  "delete --yes",
])("submissions %s is refused as wrong usage", async (line) => {
  expect((await onData(emptyData()).run("submissions", ...line.split(" "))).code).toBe(2);
});

test("a deletion needs an option that selects, or --all, here and in the admin API", async () => {
  const { commands, remote, submit } = await openForms();
  await submit({ word: "a" });
  await commands.json("forms", "test", "orders");
  const remove = ["submissions", "delete", "--matching"];
  const refused = await commands.run(...remove, "--yes");
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    2,
    "",
    "error: nothing selects what to delete: it would be every submission in the inbox of every form\n" +
      "hint: name a form with --form, another filter or a folder; --all selects every folder, including spam\n",
  ]);
  expect((await remote(...remove, "--yes")).code).toBe(2);
  expect((await commands.run(...remove, "--dry-run")).stdout).toBe("would delete 2 submissions\n");
  expect((await commands.run(...remove, "--all")).code).toBe(2);
  expect((await remote(...remove, "--all", "--yes")).stdout).toBe("deleted 2 submissions\n");
});
