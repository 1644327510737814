import { describe, expect, test } from "bun:test";
import { nearestOf } from "../../cli/session/guesses/nearest.ts";
import { onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

const LIVE = ["-p", "shop", "-e", "live"];

async function openShop() {
  const here = onData(tempDirectory());
  await here.run("projects", "create", "shop", "--environments", "develop,live");
  await here.run("flags", "set", "checkout-v1", ...LIVE, "--on");
  return here;
}

describe("flags enable, disable and toggle", () => {
  test("turn a flag on and off, and say what they did", async () => {
    const { run } = await openShop();
    for (const [verb, said] of [
      ["enable", "unchanged checkout-v1 in shop/live: on\n"],
      ["disable", "updated checkout-v1 in shop/live: off\n"],
      ["toggle", "updated checkout-v1 in shop/live: on\n"],
      ["toggle", "updated checkout-v1 in shop/live: off\n"],
      ["enable", "updated checkout-v1 in shop/live: on\n"],
    ] as const) {
      expect(await run("flags", verb, "checkout-v1", ...LIVE)).toEqual({ code: 0, stdout: said, stderr: "" });
    }
    expect(
      (await run("flags", "get", "checkout-v1", "-p", "shop", "-e", "develop", "--field", "enabled")).stdout,
    ).toBe("false\n");
  });

  test.each(["enable", "disable", "toggle", "get"])(
    "%s of a flag that does not exist creates none, and names the one that was meant",
    async (verb) => {
      const { run } = await openShop();
      const { code, stdout, stderr } = await run("flags", verb, "checkout-v2", ...LIVE);
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toEndWith("does not exist\nhint: did you mean checkout-v1?\n");
      expect((await run("flags", "list", ...LIVE, "--field", "slug")).stdout).toBe("checkout-v1\n");
      expect((await run("flags", verb, "banner", ...LIVE)).stderr).toContain("hint: formflag flags list");
      expect((await run("flags", verb, "checkout-v2", "-p", "shop", "-e", "nope")).stderr).toContain(
        '"nope"',
      );
    },
  );

  test("need --confirm where the environment is locked, which --yes does not open, and go by --if-revision", async () => {
    const { run } = await openShop();
    await run("environments", "lock", "live", "-p", "shop");
    const disable = (...args: string[]) => run("flags", "disable", "checkout-v1", ...LIVE, ...args);
    expect((await disable()).code).toBe(2);
    const refused = await disable("--yes", "--confirm", "develop");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      "error: the environment live of project shop is locked\n" +
        "hint: add --confirm live to change it anyway; --yes is not enough\n",
    ]);
    expect((await disable("--confirm", "live", "--if-revision", "1")).code).toBe(5);
    expect((await disable("--confirm", "live")).code).toBe(0);
    expect((await disable("--confirm", "no spaces or lines\r\n")).code).toBe(2);
  });

  test("say why a flag stays off that has expired", async () => {
    const { run } = await openShop();
    await run("flags", "set", "checkout-v1", ...LIVE, "--off", "--expires", "2020-01-01");
    const { code, stdout, stderr } = await run("flags", "enable", "checkout-v1", ...LIVE);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "updated checkout-v1 in shop/live: off, expired\n" });
    expect(stderr).toContain("--expires never");
  });
});

describe("flags enable --for", () => {
  test("turns a flag on and schedules it off, which flags unschedule cancels", async () => {
    const here = await openShop();
    const { run } = here;
    await run("flags", "disable", "checkout-v1", ...LIVE);
    const { code, stdout } = await run(
      "flags",
      "enable",
      "checkout-v1",
      ...LIVE,
      "--for",
      "2h",
      "--why",
      "a try",
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^updated checkout-v1 in shop\/live: on until \d{4}-\S+Z\n$/),
    });
    type Scheduled = { id: string; at: string; patch: object; why: string };
    const [back] = await here.json<Scheduled[]>("flags", "scheduled", "-p", "shop");
    expect(back).toMatchObject({ patch: { enabled: false }, why: "a try" });
    expect(stdout).toContain(back!.at);
    expect((await run("flags", "unschedule", back!.id, "-p", "shop")).code).toBe(0);
    const again = await here.json<{ result: string }>(
      "flags",
      "enable",
      "checkout-v1",
      ...LIVE,
      "--for",
      "1d",
    );
    expect(again).toMatchObject({ enabled: true, result: "unchanged", scheduled: null });
    expect(await here.json<Scheduled[]>("flags", "scheduled", "-p", "shop")).toEqual([]);
    const wrong = await Promise.all([
      run("flags", "disable", "checkout-v1", ...LIVE, "--for", "soon"),
      run("flags", "disable", "checkout-v1", ...LIVE, "--for", "0s"),
      run("flags", "toggle", "checkout-v1", ...LIVE, "--for", "1h"),
      run("flags", "disable", "nothing", ...LIVE, "--for", "1h"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 3]);
  });

  test("whoever changes the flag before then reads that it changes again, and how to cancel that", async () => {
    const here = await openShop();
    const { run } = here;
    await run("flags", "set", "banner", ...LIVE);
    await run("flags", "disable", "checkout-v1", ...LIVE);
    expect((await run("flags", "enable", "checkout-v1", ...LIVE, "--for", "2h")).stderr).toBe("");
    const [back] = await here.json<{ id: string; at: string }[]>("flags", "scheduled", "-p", "shop");
    const note = `scheduled at ${back!.at}: enabled: false; formflag flags unschedule ${back!.id} -p shop cancels it\n`;
    for (const args of [["enable"], ["set", "--on"], ["set", "--payload", "1"]]) {
      const [verb = "", ...more] = args;
      expect((await run("flags", verb, "checkout-v1", ...LIVE, ...more)).stderr).toBe(note);
      expect((await run("flags", verb, "banner", ...LIVE, ...more)).stderr).toBe("");
    }
  });
});

describe("flags set of a new flag", () => {
  test("says that it is new, and which one may have been meant", async () => {
    const { run } = await openShop();
    const near = await run("flags", "set", "checkout-v2", ...LIVE, "--on");
    expect(near).toEqual({
      code: 0,
      stdout: "created checkout-v2 in shop/live: on\n",
      stderr:
        "checkout-v2 is a new flag of project shop; did you mean checkout-v1? To undo: formflag flags delete checkout-v2 -p shop\n",
    });
    const far = await run("flags", "set", "banner", ...LIVE);
    expect(far).toMatchObject({ stdout: expect.stringContaining("created banner"), stderr: "" });
    expect((await run("flags", "set", "banner", ...LIVE, "--on")).stderr).toBe("");
    expect((await run("flags", "set", "banners", ...LIVE, "-q")).stderr).toBe("");
    expect((await run("flags", "set", "bannerz", ...LIVE, "--json")).stderr).toBe("");
  });

  test.each([
    ["checkout-v2", "checkout-v1"],
    ["Checkout_V1", "checkout-v1"],
    ["chekout-v1", "checkout-v1"],
    ["sael", null],
    ["sal", "sale"],
    ["a", null],
    ["checkout-v1", null],
  ])("%s may be meant for %s", (name, near) => {
    expect(nearestOf(name, ["sale", "b", "checkout-v1"])).toBe(near);
  });
});

describe("flags list without an environment", () => {
  test("shows each flag by environments", async () => {
    const here = await openShop();
    const { run } = here;
    await run("flags", "set", "search", "-p", "shop", "-e", "develop", "--on", "--rollout", "25");
    expect((await run("flags", "list", "-p", "shop")).stdout).toBe(
      [
        "FLAG         develop                                   live",
        "checkout-v1  off                                       on",
        "search       on (25 % of users on; everyone else off)  off",
        "",
      ].join("\n"),
    );
    type Everywhere = { slug: string; environments: Record<string, { enabled: boolean }> };
    const all = await here.json<Everywhere[]>("flags", "list", "-p", "shop");
    expect(all.map(({ slug }) => slug)).toEqual(["checkout-v1", "search"]);
    expect(Object.keys(all[0]!)).toEqual(["slug", "description", "environments"]);
    const shown = await here.json<{ enabled: boolean }>("flags", "get", "checkout-v1", ...LIVE);
    expect(all[0]!.environments["live"]).toEqual(shown);
    expect((await run("flags", "list", "-p", "shop", "--field", "environments.live.enabled")).stdout).toBe(
      "true\nfalse\n",
    );
  });
});
