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

/** Flags that need a switch to be on, a flag of pages to be new, and one of colours to be any but its default. */
async function openNeeding() {
  const commands = onData(tempDirectory());
  await commands.run("projects", "create", "shop", "--environments", "develop,live");
  const at = ["-p", "shop", "-e", "live"];
  const set = async (flag: string, ...options: string[]) =>
    expect(await commands.run("flags", "set", flag, ...at, ...options)).toMatchObject({ code: 0 });
  await set("cart", "--on");
  const halves = ["--targeting", '{"fractional":[["new",50],["old",50]]}'];
  await set("pages", "--on", "--variants", '{"old":"o","new":"n"}', "--default", "old", ...halves);
  await set("buy", "--on", "--requires", "cart");
  await set("tips", "--on", "--requires", "buy");
  await set("pay", "--on", "--requires", "pages=new");
  await set("sale", "--on", "--requires", "pages");
  return { ...commands, at };
}

test.each([
  ["set cart --rollout 0", "turns off 2 more: buy, tips"],
  ["set cart --rollout 1", null],
  ["set cart --expires 2020-01-01", "turns off 2 more: buy, tips"],
  ["set cart --expires never", null],
  ["set buy --requires none", null],
  ["set buy --requires cart=off", "turns off 1 more: tips"],
  ["set cart --rollout 0 --propose", "turns off 2 more: buy, tips"],
  ["set cart --rollout 0 --for 2h", "turns off 2 more: buy, tips"],
  ["set cart --rollout 0 --at 2h", "turns off 2 more: buy, tips"],
  ["ramp cart --variant off --to 100 --every 1h", "turns off 2 more: buy, tips"],
  ["ramp cart --variant off --to 50,100 --every 1h", "turns off 2 more: buy, tips"],
  ["ramp cart --variant off --to 50 --every 1h", null],
  ["set pages --default new --everyone", "turns off 1 more: sale"],
  ["set pages --default old --everyone", "turns off 2 more: pay, sale"],
  ["set pages --default new", null],
  ["set pages --description pages", null],
])("flags %s says which others can never be on any more", async (change, words) => {
  const { run, at } = await openNeeding();
  const { code, stderr } = await run("flags", ...change.split(" "), ...at);
  expect({ code, said: /turns off .*/.exec(stderr)?.[0] ?? null }).toEqual({ code: 0, said: words });
});

test("other variants, of which none is what a flag needs, turn it off", async () => {
  const { run, at } = await openNeeding();
  await run("flags", "set", "pay", ...at, "--requires", "none");
  const variants = ["--variants", '{"x":"1"}', "--default", "x", "--everyone"];
  const done = await run("flags", "set", "pages", ...at, ...variants);
  expect([done.code, done.stderr.includes("turns off 1 more: sale")]).toEqual([0, true]);
});

test("flags list says what each flag needs, also of one environment", async () => {
  const { run } = await openChain();
  const { stdout } = await run("flags", "list", "-p", "shop", "-e", "live");
  expect(stdout).toMatch(/^b {2,}on, needs a to be on {2,}/m);
  expect(stdout).toMatch(/^a {2,}on {2,}/m);
});
