import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

async function openShop() {
  const commands = onData(tempDirectory());
  await commands.run("projects", "create", "shop", "--environments", "live");
  for (const flag of ["a", "b", "c"]) await commands.run("flags", "set", flag, "-p", "shop", "-e", "live");
  const slugs = async (state: string) => {
    const listed = await commands.json<{ slug: string }[]>(
      "flags",
      "list",
      "-p",
      "shop",
      "-e",
      "live",
      "--state",
      state,
    );
    return listed.map(({ slug }) => slug);
  };
  return { commands, archived: () => slugs("archived") };
}

test("flags are archived and restored together, all or none", async () => {
  const { commands, archived } = await openShop();
  expect(await commands.run("flags", "archive", "a", "missing", "-p", "shop")).toMatchObject({
    code: 3,
    stdout: "",
  });
  expect(await archived()).toEqual([]);
  expect((await commands.run("flags", "archive", "a", "b,c", "-p", "shop")).stdout).toBe(
    "archived flag a of project shop\narchived flag b of project shop\narchived flag c of project shop\n",
  );
  expect((await archived()).toSorted()).toEqual(["a", "b", "c"]);
  const restored = await commands.json<unknown>("flags", "restore", "c", "a", "-p", "shop");
  expect(restored).toMatchObject([
    { slug: "c", archived: false, result: "updated" },
    { slug: "a", archived: false, result: "updated" },
  ]);
  expect(await archived()).toEqual(["b"]);
  const [second, first] = await commands.json<{ revision: number; at: string }[]>(
    "projects",
    "history",
    "shop",
    "--limit",
    "2",
  );
  expect([second!.revision - first!.revision, second!.at === first!.at]).toEqual([1, true]);
});

test("one flag is archived at the revision that was named", async () => {
  const { commands } = await openShop();
  const { revision } = await commands.json<{ revision: number }>(
    "flags",
    "get",
    "a",
    "-p",
    "shop",
    "-e",
    "live",
  );
  expect(
    (await commands.run("flags", "archive", "a", "-p", "shop", "--if-revision", String(revision - 1))).code,
  ).toBe(5);
  const args = ["flags", "archive", "a", "-p", "shop", "--if-revision", String(revision)];
  expect((await commands.run(...args)).stdout).toBe("archived flag a of project shop\n");
  expect((await commands.run("flags", "archive", "a", "b", "-p", "shop", "--if-revision", "1")).code).toBe(2);
});

test("what environments share is set for several flags, all or none", async () => {
  const { commands } = await openShop();
  const tagged = ["flags", "set", "a,b", "-p", "shop", "--tag", "new", "--owner", "ann"];
  expect((await commands.run("flags", "set", "a,missing", "-p", "shop", "--tag", "new")).code).toBe(3);
  expect((await commands.run(...tagged)).stdout).toBe(
    "updated flag a of project shop\nupdated flag b of project shop\n",
  );
  expect(await commands.json<unknown>(...tagged)).toMatchObject([
    { slug: "a", tags: ["new"], owner: "ann", result: "unchanged" },
    { slug: "b", tags: ["new"], owner: "ann", result: "unchanged" },
  ]);
  expect((await commands.run(...tagged, "--if-revision", "1")).code).toBe(2);
  expect((await commands.run("flags", "set", "a,b", "-p", "shop", "-e", "live", "--on")).code).toBe(2);
});

test("an archived flag says so wherever its value is set, read and evaluated", async () => {
  const { commands } = await openShop();
  const at = ["a", "-p", "shop", "-e", "live"];
  await commands.run("flags", "archive", "a", "-p", "shop");
  const note = "a is archived, so readers do not get it; formflag flags restore a -p shop";
  const set = await commands.run("flags", "set", ...at, "--on");
  expect(set).toMatchObject({
    stdout: expect.stringContaining("on, archived"),
    stderr: expect.stringContaining(note),
  });
  expect((await commands.run("flags", "get", ...at)).stdout).toMatch(/state +on, archived/);
  const evaluated = await commands.run("flags", "evaluate", ...at);
  expect(evaluated).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
  await commands.run("flags", "restore", "a", "-p", "shop");
  for (const command of ["get", "evaluate", "enable"])
    expect(JSON.stringify(await commands.run("flags", command, ...at))).not.toContain("archived");
});
