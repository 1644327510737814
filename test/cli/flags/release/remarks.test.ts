import { describe, expect, test } from "bun:test";
import { onData } from "../../../support/commands.ts";
import { startServer } from "../../../support/executable.ts";
import { atTerminal } from "../../../support/terminal.ts";
import { answer, HOW, openShop, WHO } from "./releasing.ts";

const NOW = [...WHO.everyone, ...HOW.now.answers] as const;
const flat = (screen: string) => screen.replaceAll(/\s+/g, " ");

describe("the sentence of a release", () => {
  test("names a flag that is needed and is not as it has to be, and none that is", async () => {
    const { run, at, place } = await openShop();
    await run("flags", "set", "cart", ...place);
    await run("flags", "set", "search", ...place, "--requires", "cart");
    const asked = [...NOW, [HOW.now.ask, "\r"]] as const;
    expect(flat((await answer(at("search"), asked)).screen)).toContain("It still needs cart to be on");
    await run("flags", "set", "cart", ...place, "--on");
    expect((await answer(at("search"), asked)).screen).not.toContain("needs cart");
  });

  test("names the expiry of the flag, also one before the release, with the zone", async () => {
    const { run, at, place } = await openShop();
    await run("flags", "set", "search", ...place, "--expires", "1h");
    const now = await answer(at("search"), [...NOW, [HOW.now.ask, "\r"]]);
    expect(flat(now.screen)).toMatch(/It expires .*\d\d:\d\d, and is off from then on\. Times are in Europe/);
    const late = await answer(at("search"), [...WHO.everyone, ...HOW.at.answers, [HOW.at.ask, "\r"]]);
    expect(flat(late.screen)).toContain("But it expires before that");
  });

  test.each(["--quiet", "--json"])("is shown before the question with %s too", async (option) => {
    const { run, at, place } = await openShop();
    await run("flags", "set", "search", ...place);
    const { screen } = await answer(at("search", option), [...NOW, [HOW.now.ask, "\r"]]);
    expect(screen).toContain("From now on, everyone gets on.");
  });

  test("is about a flag chosen from a list if none is named", async () => {
    const { run, data, place } = await openShop();
    for (const flag of ["cart", "search"]) await run("flags", "set", flag, ...place);
    const terminal = atTerminal(["flags", "release", ...place, "--data", data]);
    await terminal.shows("cart");
    const { code } = await answer(terminal, [["Which flag?", "sear\r"], ...NOW, [HOW.now.ask, "y\r"]]);
    expect(code).toBe(0);
    expect((await run("flags", "get", "search", ...place, "--field", "enabled")).stdout).toBe("true\n");
  });
});

test("a caller who may not make a release is refused before the questions", async () => {
  const server = await startServer();
  const here = onData(server.data);
  await here.run("projects", "create", "shop", "--environments", "production");
  await here.run("flags", "set", "search", "-p", "shop", "-e", "production");
  await here.run("environments", "lock", "production", "-p", "shop");
  for (const scope of ["flags:read", "flags:write"]) {
    const made = ["tokens", "create", scope.replace(":", "-"), "--scope", scope, "-p", "shop"];
    const { token } = await here.json<{ token: string }>(...made);
    const options = ["search", "-p", "shop", "-e", "production", "--server", server.url];
    const { code, screen } = await atTerminal(["flags", "release", ...options], {
      FORMFLAG_TOKEN: token,
    }).ends();
    expect({ code, screen }).toEqual({ code: 4, screen: expect.stringContaining("lacks the scope") });
  }
});
