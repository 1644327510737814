import { describe, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const HERE = ["-p", "shop", "-e", "develop"];
const STAFF = { ends_with: [{ var: "email" }, "@example.com"] };
const USES_STAFF = ["--variants", '{"a":1}', "--targeting", '{"if":[{"$ref":"staff"},"a"]}'];

const commands = onData(tempDirectory());
const { run } = commands;
const json = <T>(...args: string[]) => commands.json<T>(...args);
await run("projects", "create", "shop");
const set = (name: string, rule: unknown, ...args: string[]) =>
  run("segments", "set", name, ...HERE, "--rule", JSON.stringify(rule), ...args);

describe("segments set", () => {
  test("says created, updated or unchanged", async () => {
    const said = [];
    for (const rule of [STAFF, STAFF, { "==": [1, 1] }]) said.push((await set("beta", rule)).stdout);
    expect(said).toEqual([
      "created segment beta in shop/develop: email ends with @example.com\n",
      "unchanged segment beta in shop/develop: email ends with @example.com\n",
      "updated segment beta in shop/develop: a rule of its own\n",
    ]);
  });

  test("takes conditions in words, of which any holds", async () => {
    const conditions = ["--if", "email ends_with @example.com", "--if", "plan == pro and age > 18"];
    const { stdout } = await run("segments", "set", "worded", ...HERE, ...conditions);
    const words = "email ends with @example.com or plan is pro and age is more than 18";
    expect(stdout).toBe(`created segment worded in shop/develop: ${words}\n`);
    expect((await run("segments", "get", "worded", ...HERE)).stdout).toContain(`\nrule      ${words}\n`);
    expect((await run("segments", "list", ...HERE)).stdout).toContain(words);
  });

  test("refuses a revision that is not the one it is at", async () => {
    expect((await set("once", STAFF, "--if-revision", "0")).code).toBe(0);
    const { code, stderr } = await set("once", true, "--if-revision", "0");
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining("once") });
  });

  test.each<[why: string, args: string[], says: string]>([
    ["no rule", [], "--rule"],
    ["half a condition", ["--if", "email"], "at column 6"],
    ["conditions and a rule", ["--if", "a == b", "--rule", "true"], "--rule"],
    ["a rule that flagd does not have", ["--rule", '{"nope":[1]}'], "nope"],
    ["a text", ["--rule", '"x"'], "a rule is a JSON object"],
  ])("refuses %s", async (_, args, says) => {
    const { code, stderr } = await run("segments", "set", "bad", ...HERE, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  test("refuses a rule that makes one of a flag too large, and names the flag", async () => {
    const uses = { or: Array.from({ length: 150 }, () => ({ $ref: "part" })) };
    await set("part", true);
    await run("flags", "set", "large", ...HERE, "--variants", '{"a":1}');
    await run("flags", "set", "large", ...HERE, "--targeting", JSON.stringify({ if: [uses, "a"] }));
    const { code, stderr } = await set("part", { in: [{ var: "a" }, "x".repeat(2000)] });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("large") });
    expect(await json<object>("segments", "get", "part", ...HERE)).toMatchObject({ rule: true });
  });
});

test("a segment is used by the rules that refer to it", async () => {
  await set("staff", STAFF);
  await run("flags", "set", "user", ...HERE, "--on", ...USES_STAFF);
  const context = ["--context", '{"email":"ann@example.com"}'];
  expect(await json<object>("flags", "evaluate", "user", ...HERE, ...context)).toMatchObject({ value: 1 });
});

test("segments are listed by name and shown with their rule", async () => {
  await set("staff", STAFF);
  const all = await json<{ name: string; rule: unknown }[]>("segments", "list", ...HERE);
  expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).toSorted());
  expect(all).toContainEqual(expect.objectContaining({ name: "staff", rule: STAFF }));
  const { stdout } = await run("segments", "get", "staff", ...HERE);
  expect(stdout).toMatch(/^revision +\d+$/m);
  expect(stdout).toContain("rule      email ends with @example.com\n");
  await set("odd", { "==": [1, 1] });
  expect((await run("segments", "get", "odd", ...HERE)).stdout).toEndWith('\nrule\n  {"==":[1,1]}\n');
});

describe("segments delete", () => {
  test("is refused while something still refers to it, and names that", async () => {
    await set("staff", STAFF);
    await run("flags", "set", "user", ...HERE, "--on", ...USES_STAFF);
    await set("all", { "!": [{ $ref: "staff" }] });
    await run("flags", "set", "later", ...HERE, "--variants", '{"a":1}');
    const plan = ["--at", "1h", ...USES_STAFF.slice(2)];
    const { id } = await json<{ id: string }>("flags", "set", "later", ...HERE, ...plan);
    const { code, stderr } = await run("segments", "delete", "staff", ...HERE, "--yes");
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(
        `segment "staff" is still used by flag user, segment all, scheduled change ${id} of flag later\n`,
      ),
    });
    expect((await run("segments", "get", "staff", ...HERE)).code).toBe(0);
  });

  test("deletes one that nothing refers to, and needs --yes where nobody can be asked", async () => {
    await set("free", STAFF);
    expect((await run("segments", "delete", "free", ...HERE)).code).toBe(2);
    expect((await run("segments", "delete", "free", ...HERE, "--yes")).code).toBe(0);
    expect((await run("segments", "delete", "free", ...HERE, "--yes")).code).toBe(3);
  });
});
