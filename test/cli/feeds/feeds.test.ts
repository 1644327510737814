import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

type Feed = { id: string; url?: string; lastReadAt: string | null };

const here = onData(tempDirectory());
await here.json("forms", "create", "contact");

test("feeds create prints an address once, feeds list what it shows, and feeds revoke ends it", async () => {
  const create = ["feeds", "create", "contact", "--format", "csv"];
  const { stdout } = await here.run(...create, "--field", "name,email", "--since", "30d");
  expect(stdout).toMatch(/^\/v1\/feeds\/[\w-]{43}\.csv\n$/);
  const [feed] = await here.json<Feed[]>("feeds", "list", "contact");
  expect(feed).toMatchObject({
    project: "default",
    form: "contact",
    name: "contact",
    format: "csv",
    fields: ["name", "email"],
    search: null,
    since: 2_592_000,
    limit: 1000,
    expiresAt: null,
    lastReadAt: null,
  });
  const { stdout: listed } = await here.run("feeds", "list");
  expect(listed).toContain("name, email; of 30 days; at most 1000");
  expect(listed).not.toContain(stdout.trim().slice(10, 50));

  expect((await here.run("feeds", "revoke", feed!.id)).stdout).toBe(`revoked feed ${feed!.id}\n`);
  expect(await here.json<Feed[]>("feeds", "list")).toEqual([]);
  expect((await here.run("feeds", "revoke", feed!.id)).code).toBe(3);
});

test.each([
  [["--format", "xml"], "Allowed choices are csv, json, atom"],
  [["--format", "csv", "--limit", "10001"], "--limit is a whole number from 1 to 10000"],
  [["--format", "csv", "--limit", "0"], "--limit 0 is not"],
  [["--format", "csv", "--limit", "1e3"], "--limit 1e3 is not"],
  [["--format", "csv", "--since", "soon"], "--since soon"],
  [["--format", "csv", "--search", "is:mine"], "no is:mine"],
  [["--format", "csv", "--expires", "2001-01-01"], "must expire in the future"],
  [[], "--format"],
] as const)("feeds create contact %p is wrong usage", async (args, says) => {
  const { code, stderr } = await here.run("feeds", "create", "contact", ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(await here.json<Feed[]>("feeds", "list")).toEqual([]);
});
