import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const HERE = ["-p", "shop", "-e", "develop"];

const commands = onData(tempDirectory());
const { run } = commands;
await run("projects", "create", "shop");

const evaluate = async (context: object, flag = "search", place: readonly string[] = HERE) =>
  (
    await commands.json<{ value: unknown }>(
      "flags",
      "evaluate",
      flag,
      ...place,
      "--context",
      JSON.stringify(context),
    )
  ).value;

test("a rule compares by matches, in_cidr, before and after, in words and in files, but for flagd's", async () => {
  const condition =
    'email matches "(?i)@example[.]com$" or ip in_cidr 10.0.0.0/8, ::1 and at before 2026-01-31T12:00:00Z';
  const set = await run("flags", "set", "search", ...HERE, "--on", "--if", condition, "--then", "on");
  expect(set.stdout).toBe(
    'created search in shop/develop: on (email matches "(?i)@example[.]com$" or ip is in network 10.0.0.0/8, ::1 and at is before 2026-01-31T12:00:00Z: on; everyone else off)\n',
  );
  expect(set.stderr).toContain("flagd does not have matches, in_cidr, before: files for flagd");
  expect(await evaluate({ email: "ann@EXAMPLE.com" })).toBe(true);
  expect(await evaluate({ ip: "10.0.0.1", at: 5 })).toBe(true);
  expect(await evaluate({ ip: "10.0.0.1" })).toBe(false);
  expect((await run("flags", "get", "search", ...HERE)).stdout).toContain("ip is in network 10.0.0.0/8, ::1");
  const history = await run("flags", "history", "search", ...HERE);
  expect(history.stdout).toContain("email matches");

  await run("segments", "set", "inside", ...HERE, "--if", "ip in_cidr 10.0.0.0/8");
  await run("flags", "set", "near", ...HERE, "--if", "segment inside", "--then", "on");
  await run("flags", "set", "plain", ...HERE);
  const { stdout, stderr } = await run("flags", "export", ...HERE);
  expect(Object.keys(JSON.parse(stdout))).toEqual(["$schema", "flags"]);
  expect(Object.keys(JSON.parse(stdout).flags)).toEqual(["plain"]);
  expect(stderr).toContain(
    "warning: 2 flags are left out, whose rules use operators that flagd does not have",
  );
  expect((await run("export", "-p", "shop")).stdout).toContain("in_cidr");
});

test("a condition that does not compare the type of an attribute is not met, and the next one decides", async () => {
  const conditions = ["age >= 18", "groups contains admin", "email ends_with @example.com"];
  const pairs = conditions.flatMap((condition) => ["--if", condition, "--then", "on"]);
  const there = ["-p", "typed", "-e", "develop"];
  await run("projects", "create", "typed");
  await run("flags", "set", "typed", ...there, "--on", ...pairs, "--rollout", "100");
  expect(await evaluate({ age: "unknown", groups: 5, email: "x@example.com" }, "typed", there)).toBe(true);
  expect(await evaluate({ age: ["a"], groups: {}, email: 5 }, "typed", there)).toBe(false);
  expect(
    await evaluate({ targetingKey: "ann", age: { toString: 1 }, groups: true, email: null }, "typed", there),
  ).toBe(true);
});
