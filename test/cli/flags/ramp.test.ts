import { describe, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const LIVE = ["-p", "shop", "-e", "live"];
const COURSE = ["--variant", "on", "--to", "1,10,50,100", "--every", "1d"];

async function openShop() {
  const { run } = onData(tempDirectory());
  await run("projects", "create", "shop", "--environments", "develop,live");
  await run("flags", "set", "search", ...LIVE, "--off");
  const ramp = (...args: string[]) => run("flags", "ramp", "search", ...LIVE, ...args);
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
  return { run, ramp, json };
}

describe("flags ramp", () => {
  test("begins a ramp, shows it, pauses, resumes and aborts it", async () => {
    const { run, ramp, json } = await openShop();
    const none = await ramp();
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("has no ramp in live")]);
    const begun = await ramp(...COURSE, "--why", "the plan");
    expect(begun.code).toBe(0);
    expect(begun.stdout).toMatch(
      /^started the ramp of search in shop\/live: on has 1 % of users, 10 % next at \d{4}-\S+Z\n$/,
    );
    const held = await ramp(...COURSE);
    expect([held.code, held.stderr]).toEqual([5, expect.stringContaining("--abort")]);
    expect((await ramp()).stdout).toMatch(
      /^flag +search\nenvironment +live\nstatus +running\nshare +1 % on\nnext +10 % +\S+Z\nevery +1 day\nsteps +1 % +\S+Z\n +10 % +to come\n +50 % +to come\n +100 % +to come\nby +\S+\nwhy +the plan\n$/,
    );
    const shown = await json("flags", "ramp", "search", ...LIVE);
    expect(shown).toMatchObject({ share: 1, status: "running", every: 86_400, guards: [] });
    expect((await json("flags", "get", "search", ...LIVE)).ramp).toEqual(shown);
    expect((await run("flags", "get", "search", ...LIVE)).stdout).toContain("running: on has 1 % of users");
    expect(await json("flags", "ramps", "-p", "shop")).toEqual([shown]);
    expect(await json("flags", "ramps", "-p", "shop", "-e", "develop")).toEqual([]);
    expect(await json("flags", "scheduled", "-p", "shop")).toMatchObject([
      { flag: "search", environment: "live", at: shown.nextAt, patch: null, ramp: { share: 1 } },
    ]);
    expect((await run("flags", "scheduled", "-p", "shop")).stdout).toContain(
      "on has 1 % of users, 10 % next",
    );
    expect((await ramp("--pause")).stdout).toStartWith("paused the ramp of search in shop/live: on has 1 %");
    expect((await ramp()).stdout).toContain("paused by a person");
    expect((await ramp("--pause")).code).toBe(5);
    expect(await json("flags", "scheduled", "-p", "shop")).toEqual([]);
    expect((await ramp("--resume")).code).toBe(0);
    expect((await ramp("--abort", "--keep")).stdout).toContain("on has 1 % of users\n");
    expect((await ramp("--abort")).code).toBe(5);
    expect((await run("flags", "ramps", "-p", "shop")).stdout).toContain("aborted by a person");
    const history = await run("flags", "history", "search", ...LIVE);
    expect(history.stdout).toContain('+ status: "aborted"');
  });

  test("shows the guards of a ramp, and what they do", async () => {
    const { run, ramp, json } = await openShop();
    const [guard, second] = ["event:error rises 0%", "event:signup falls 20%"];
    expect((await ramp(...COURSE, "--guard", guard, "--guard", second, "--on-guard", "rollback")).code).toBe(
      0,
    );
    expect((await ramp()).stdout).toMatch(
      /guards +event:error rises 0%\n +event:signup falls 20%\non guard +rollback\n/,
    );
    expect((await run("flags", "get", "search", ...LIVE)).stdout).toContain("guard: event:error rises 0%\n");
    expect(await json("flags", "ramp", "search", ...LIVE)).toMatchObject({
      guards: [guard, second],
      onGuard: "rollback",
    });
    expect((await ramp("--abort", "--guard", guard)).code).toBe(2);
  });

  test("makes the next step at once, and goes to the last one", async () => {
    const { ramp, json } = await openShop();
    await ramp(...COURSE);
    expect((await ramp("--next")).stdout).toMatch(
      /^advanced the ramp of search in shop\/live: on has 10 % of users, 50 % next at \d{4}-\S+Z\n$/,
    );
    expect((await ramp("--pause")).code).toBe(0);
    const paused = await ramp("--next");
    expect([paused.code, paused.stderr]).toEqual([5, expect.stringContaining("is paused: resume it first")]);
    await ramp("--resume");
    expect((await ramp("--finish")).stdout).toBe(
      "finished the ramp of search in shop/live: on has 100 % of users\n",
    );
    expect(await json("flags", "ramp", "search", ...LIVE)).toMatchObject({ status: "completed", share: 100 });
    expect((await ramp("--next")).code).toBe(5);
    expect((await ramp("--next", "--finish")).code).toBe(2);
  });

  test("takes a start, percent signs and decimals, and is undone by an abort", async () => {
    const { ramp, json } = await openShop();
    await ramp("--variant", "on", "--to", "0.5%, 12.25 %", "--every", "2w", "--start", "2h");
    expect(await json("flags", "ramp", "search", ...LIVE)).toMatchObject({
      share: 0,
      every: 1_209_600,
      steps: [
        { share: 0.5, doneAt: null },
        { share: 12.25, doneAt: null },
      ],
    });
    expect((await ramp("--abort")).stdout).toContain("on has 0 % of users\n");
  });

  test("makes a step that is due with the next command, where no server runs", async () => {
    const { ramp, json } = await openShop();
    await ramp("--variant", "on", "--to", "1,100", "--every", "1s");
    await Bun.sleep(1001);
    expect(await json("flags", "ramp", "search", ...LIVE)).toMatchObject({ status: "completed", share: 100 });
  });

  test("is refused with an exit code of its own for each mistake, and nothing changes", async () => {
    const { ramp, json } = await openShop();
    const mistakes: [args: string[], code: number][] = [
      [["--variant", "on"], 2],
      [["--variant", "on", "--to", "1,x", "--every", "1d"], 2],
      [["--variant", "on", "--to", "10,1", "--every", "1d"], 2],
      [["--variant", "on", "--to", "1.234", "--every", "1d"], 2],
      [["--variant", "on", "--to", "1,101", "--every", "1d"], 2],
      [["--variant", "on", "--to", "1,10", "--every", "367d"], 2],
      [["--variant", "on", "--to", "1,10", "--every", "0s"], 2],
      [["--variant", "on", "--to", "1,10", "--every", "a while"], 2],
      [["--variant", "red", "--to", "1,10", "--every", "1d"], 2],
      [["--variant", "on", "--to", "1,10", "--every", "1d", "--start", "2020-01-01"], 2],
      [["--pause", "--resume"], 2],
      [["--pause", ...COURSE], 2],
      [["--keep"], 2],
      [["--pause"], 3],
      [["--resume"], 3],
      [["--abort"], 3],
    ];
    for (const [args, code] of mistakes) expect([args, (await ramp(...args)).code]).toEqual([args, code]);
    expect(await json("flags", "ramps", "-p", "shop")).toEqual([]);
  }, 60_000);

  test("of a flag that does not exist names the one that was meant", async () => {
    const { run } = await openShop();
    const { code, stderr } = await run("flags", "ramp", "serch", ...LIVE);
    expect([code, stderr]).toEqual([3, expect.stringContaining("did you mean search?")]);
  });
});
