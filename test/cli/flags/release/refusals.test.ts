import { describe, expect, test } from "bun:test";
import { answer, HOW, openShop, sameIn, WHO } from "./releasing.ts";

describe("a release", () => {
  test("needs a terminal, and names the five commands without one", async () => {
    const { run, place } = await openShop();
    await run("flags", "set", "search", ...place);
    for (const flag of [["search"], []]) {
      const { code, stderr } = await run("flags", "release", ...flag, ...place);
      expect(code).toBe(2);
      for (const command of ["flags set", "--at <time>", "--for <span>", "flags ramp", "experiments create"])
        expect(stderr).toContain(command);
    }
  });

  test("of a flag that does not exist asks nothing, and names the one that was meant", async () => {
    const { run, at, place } = await openShop();
    await run("flags", "set", "search", ...place);
    const { code, screen } = await at("serach").ends();
    expect({ code, screen }).toEqual({ code: 3, screen: expect.stringContaining("did you mean search?") });
    const unseen = await run("flags", "release", "serach", ...place);
    expect(unseen).toMatchObject({ code: 3, stderr: expect.not.stringContaining("flags set") });
  });

  test("of a flag that a ramp or an experiment holds asks nothing", async () => {
    const { run, at, place } = await openShop();
    await run("flags", "ramp", "search", ...place, "--variant", "on", "--to", "10,100", "--every", "1d");
    for (const flag of ["search", "hero"]) await run("flags", "set", flag, ...place);
    await run("flags", "ramp", "search", ...place, "--variant", "on", "--to", "10,100", "--every", "1d");
    const trial = ["--flag", "hero", "--metric", "event:signup", "--start"];
    await run("experiments", "create", "headline", ...place, ...trial);
    for (const [flag, by] of [
      ["search", "a ramp already sets the share"],
      ["hero", 'the experiment "headline" already sets the share'],
    ] as const) {
      const { code, screen } = await at(flag).ends();
      expect({ code, screen }).toEqual({ code: 5, screen: expect.stringContaining(by) });
    }
  });

  test("as an experiment starts the draft with the same course, and another gets a free name", async () => {
    const { run, at, json, place } = await openShop();
    for (const flag of ["hero", "other"]) await run("flags", "set", flag, ...place);
    const course = ["--metric", "event:signup", "--control", "off", "--split", "off:1,on:1"];
    await run("experiments", "create", "mine", ...place, "--flag", "hero", ...course);
    await run("experiments", "create", "other", ...place, "--flag", "hero", ...course.with(1, "event:error"));
    const chosen = [HOW.test.answers[0], ["What is compared?", "signup\r"], HOW.test.answers[3]] as const;
    for (const flag of ["hero", "other"])
      expect((await answer(at(flag), [...WHO.everyone, ...chosen, [HOW.test.ask, "y\r"]])).code).toBe(0);
    const all = await json<{ name: string; status: string }[]>("experiments", "list");
    expect(all.map(({ name, status }) => [name, status])).toEqual([
      ["mine", "running"],
      ["other", "draft"],
      ["other-1", "running"],
    ]);
  });

  test("in a locked environment is confirmed for it too", async () => {
    const { run, at, stateOf, place } = await openShop();
    await run("flags", "set", "search", ...place);
    await run("environments", "lock", "production", "-p", "shop");
    const asked = [...WHO.everyone, ...HOW.now.answers, [HOW.now.ask, "y\r"]] as const;
    const left = await answer(at("search"), [...asked, ["Change it all the same?", "\r"]]);
    expect(left.code).toBe(1);
    expect((await stateOf("search")).now.enabled).toBe(false);
    expect((await answer(at("search"), [...asked, ["Change it all the same?", "y\r"]])).code).toBe(0);
    expect((await stateOf("search")).now.enabled).toBe(true);
    const confirmed = await answer(at("search", "--confirm", "production"), asked);
    expect(confirmed.code).toBe(0);
    const same = sameIn(confirmed.screen);
    expect(same.slice(-2)).toEqual(["--confirm", "production"]);
    expect((await run(...same)).code).toBe(0);
  });

  test("that needs approvals is refused before the questions, and proposed with --propose", async () => {
    const { run, at, stateOf, place } = await openShop();
    const proposed = async () =>
      JSON.parse((await run("changes", "list", "-p", "shop", "--json")).stdout) as unknown[];
    await run("flags", "set", "search", ...place);
    await run("environments", "set", "production", "-p", "shop", "--approvals", "1");
    const refused = await at("search").ends();
    expect(refused).toMatchObject({ code: 4, screen: expect.stringContaining("add --propose") });
    for (const how of ["now", "at", "while"] as const) {
      const ask = HOW[how].ask
        .replace("Release", "Propose the release")
        .replace("Schedule", "Propose the schedule");
      const { code, screen } = await answer(at("search", "--propose", "--why", "it's time"), [
        ...WHO.everyone,
        ...HOW[how].answers,
        [ask, "y\r"],
      ]);
      expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("proposed change") });
      expect(sameIn(screen).slice(-3)).toEqual(["--why", "it's time", "--propose"]);
    }
    expect((await stateOf("search")).now.enabled).toBe(false);
    expect(await proposed()).toHaveLength(3);
    const bypassing = [...WHO.everyone, ...HOW.now.answers, [HOW.now.ask, "y\r"]] as const;
    const { screen } = await answer(at("search", "--bypass", "--why", "outage"), bypassing);
    expect(await run(...sameIn(screen))).toMatchObject({ code: 0 });
  });

  test("of a flag that was changed during the questions is refused, however it goes out", async () => {
    const { run, at, place, stateOf } = await openShop();
    await run("flags", "set", "search", ...place);
    const guards = [
      ["Stop if?", "\r"],
      ["When a guard fires?", "\r"],
    ] as const;
    for (const how of [HOW.now, HOW.steps]) {
      const terminal = at("search");
      for (const [question, typed] of [
        ...WHO.everyone,
        ...how.answers,
        ...(how === HOW.steps ? guards : []),
      ]) {
        await terminal.shows(question);
        terminal.type(typed);
      }
      await terminal.shows(how.ask);
      await run("flags", "set", "search", ...place, "--description", how.ask);
      terminal.type("y\r");
      const { code, screen } = await terminal.ends();
      expect({ code, screen }).toEqual({ code: 5, screen: expect.stringContaining("at revision") });
    }
    expect(await stateOf("search")).toMatchObject({ now: { enabled: false }, ramps: [] });
  });

  test("of a flag with a rule that has no words prints it in JSON", async () => {
    const { run, at, stateOf, place } = await openShop();
    const rule = { if: [{ in: [{ var: "a" }, { var: "b" }] }, "off"] };
    for (const flag of ["odd", "odd-2"])
      await run("flags", "set", flag, ...place, "--on", "--rollout", "5", "--why", "test");
    for (const flag of ["odd", "odd-2"])
      await run("flags", "set", flag, ...place, "--targeting", JSON.stringify(rule));
    const { code, screen } = await answer(at("odd"), [
      ...WHO.share,
      ...HOW.now.answers,
      ["The rules that it has come first.", ""],
      [HOW.now.ask, "y\r"],
    ]);
    expect({ code, screen: code === 0 || screen }).toEqual({ code: 0, screen: true });
    const same = sameIn(screen);
    expect(same).toContain("--targeting");
    await run(...same.map((word) => (word === "odd" ? "odd-2" : word)));
    expect(await stateOf("odd-2")).toEqual(await stateOf("odd"));
  });
});
