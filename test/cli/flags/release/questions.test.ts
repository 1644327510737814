import { describe, expect, test } from "bun:test";
import { answer, HOW, openShop, WHO } from "./releasing.ts";

describe("the questions of a release", () => {
  const ALL = [
    ...WHO.segment,
    ...HOW.steps.answers,
    ["Who gets the steps", "only\r"],
    ["Stop if?", "\r"],
  ] as const;
  const QUESTIONS = [...ALL, ["When a guard fires?", "stop\r"], [HOW.steps.ask, "y\r"]] as const;

  test.each(QUESTIONS.map(([question], at) => [question, at] as const))(
    "are left by an interrupt at %s, which changes nothing",
    async (question, index) => {
      const { run, at, stateOf, place } = await openShop();
      await run("flags", "set", "search", ...place);
      const before = await stateOf("search");
      const { code } = await answer(at("search"), [...QUESTIONS.slice(0, index), [question, "\x03"]]);
      expect(code).toBe(130);
      expect(await stateOf("search")).toEqual(before);
    },
  );

  test("end with one that Enter alone answers with no", async () => {
    const { run, at, stateOf, place } = await openShop();
    await run("flags", "set", "search", ...place);
    const before = await stateOf("search");
    const { code, screen } = await answer(at("search"), [
      ...WHO.everyone,
      ...HOW.now.answers,
      ["From now on, everyone gets on.", ""],
      [HOW.now.ask, "\r"],
    ]);
    expect({ code, screen }).toEqual({ code: 1, screen: expect.stringContaining("Nothing was changed.") });
    expect(await stateOf("search")).toEqual(before);
  });

  test("with words to choose from are answered with the first of them by Enter alone", async () => {
    const { run, at, stateOf, place } = await openShop();
    await run("flags", "set", "search", ...place);
    const { code } = await answer(at("search"), [
      ["Who gets it?", "\r"],
      ["How?", "\r"],
      [HOW.now.ask, "y\r"],
    ]);
    expect(code).toBe(0);
    expect(await stateOf("search")).toMatchObject({ now: { enabled: true }, ramps: [] });
  });

  test("are asked again for what is no answer, with what one is", async () => {
    const { run, at, stateOf, place } = await openShop();
    await run("flags", "set", "search", ...place);
    const clear = "\x7f".repeat(30);
    const { code, screen } = await answer(at("search"), [
      ["Who gets it?", "share\r"],
      ["What share", "none\r"],
      ["write a share above 0 up to 100 %", `${clear}101\r`],
      ["write a share above 0 up to 100 %", `${clear}50\r`],
      ["How?", "step\r"],
      ["Which shares", "some\r"],
      ["Write percentages with commas", `${clear}20,10\r`],
      ["the steps rise: 10 % does not follow 20 %", `${clear}10,60\r`],
      ["The last step is 50 %", `${clear}5, 25\r`],
      ["One step every?", "soon\r"],
      ["times look like 30m, 12h or 1d", `${clear}12h\r`],
      ["Stop if?", "errors\r"],
      ['"errors" is not a guard', `${clear}none\r`],
      [HOW.steps.ask, "y\r"],
    ]);
    expect({ code, screen: code === 0 || screen }).toEqual({ code: 0, screen: true });
    expect((await stateOf("search")).ramps).toEqual([
      { variant: "on", to: [5, 25, 50], every: 43_200, guards: [], onGuard: "pause", status: "running" },
    ]);
  });

  test("take no segment that is missing, no condition that is none, and no time that has passed", async () => {
    const { run, at, json, place } = await openShop();
    for (const flag of ["search", "sale"]) await run("flags", "set", flag, ...place);
    const clear = "\x7f".repeat(40);
    const segment = at("search");
    await answer(segment, [
      ["Who gets it?", "segment\r"],
      ["Which segment?", "beta\r"],
      ["Choose with the arrow keys", `${clear}staff\r`],
      ["(An experiment is for everyone, or a share)", "while\r"],
      ["For how long?", "an hour\r"],
      ["times look like 30m, 12h or 1d", `${clear}1h\r`],
      ["For the next 1 hour, Staff get on, then it is as it is now.", ""],
      ["Release for 1 hour in production?", "y\r"],
    ]);
    const { screen } = await answer(at("sale"), [
      ["Who gets it?", "a rule\r"],
      ["Which users?", "country in\r"],
      ["column", `${clear}country in AT\r`],
      ["How?", "at a time\r"],
      ["When?", "tomorrow\r"],
      ["such as 2h", `${clear}2027-02-30 12:00\r`],
      ["the calendar has no 2027-02-30", `${clear}2020-01-31 12:00\r`],
      ["this time has passed", `${clear}2099-01-31 12:00\r`],
      [HOW.at.ask, "y\r"],
    ]);
    expect(screen).toContain("On Sat 31 Jan, 12:00, users where country in AT get on. Times are in");
    const [, scheduled] = await json<{ at: string }[]>("flags", "scheduled");
    expect(scheduled?.at).toBe("2099-01-31T11:00:00.000Z");
  });

  test("do not go on for a segment where there is none", async () => {
    const { run, at, place } = await openShop();
    await run("flags", "set", "search", ...place);
    await run("segments", "delete", "staff", ...place, "--yes");
    const { code, screen } = await answer(at("search"), [["Who gets it?", "segment\r"]]);
    expect(code).toBe(3);
    expect(screen).toContain("shop/production has no segment");
    expect(screen).toContain("formflag segments set <segment> -p shop -e production");
  });
});
