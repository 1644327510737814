import { describe, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A chain a < b < c < d, of which each needs the one before, and e, which needs a in live alone. */
async function openChain() {
  const commands = onData(tempDirectory());
  await commands.run("projects", "create", "shop", "--environments", "develop,live");
  const set = async (flag: string, ...options: string[]) => {
    const done = await commands.run("flags", "set", flag, "-p", "shop", ...options);
    expect(done).toMatchObject({ code: 0 });
  };
  for (const [flag, needed] of [["a"], ["b", "a"], ["c", "b"], ["d", "c"]] as const)
    await set(flag, "-e", "develop,live", "--on", ...(needed === undefined ? [] : ["--requires", needed]));
  await set("e", "-e", "live", "--on", "--requires", "a");
  return commands;
}

test("turning flags off says first which others that turns off, once for all of them", async () => {
  const commands = await openChain();
  const at = ["-p", "shop", "-e", "live"];
  expect((await commands.run("flags", "disable", "b", "c", ...at)).stderr).toBe("turns off 1 more: d\n");
  expect((await commands.run("flags", "disable", "a", ...at)).stderr).toBe("turns off 1 more: e\n");
  const set = await commands.run("flags", "set", "a", "-p", "shop", "-e", "develop,live", "--off");
  expect(set).toMatchObject({ code: 0, stderr: "develop: turns off 3 more: b, c, d\n" });
});

test("nothing is turned off, and nothing said, where one of the flags does not exist", async () => {
  const commands = await openChain();
  const done = await commands.run("flags", "disable", "a", "missing", "-p", "shop", "-e", "live");
  expect([done.code, done.stderr.includes("turns off")]).toEqual([3, false]);
  const flag = await commands.json<{ enabled: boolean }>("flags", "get", "a", "-p", "shop", "-e", "live");
  expect(flag.enabled).toBe(true);
});

describe.each(["0", "1"])("a flag that others need, where changes need %s approvals,", (approvals) => {
  const at = ["-p", "shop", "-e", "live"];
  const openApproving = async () => {
    const commands = await openChain();
    if (approvals !== "0")
      await commands.run("environments", "set", "live", "-p", "shop", "--approvals", approvals);
    return commands;
  };

  test.each([
    "set a --off",
    "disable a",
    "disable b a",
    "set a --off --at 2h",
    "set a --off --for 2h",
    "disable a --for 2h",
  ])("is turned off by a proposal, or without approvals: flags %s", async (change) => {
    const commands = await openApproving();
    for (const more of [["--propose"], ["--bypass", "--why", "down"]]) {
      const { code, stderr } = await commands.run("flags", ...change.split(" "), ...at, ...more);
      expect([more, code, stderr]).toEqual([more, 0, expect.stringContaining("turns off")]);
    }
  });
});
