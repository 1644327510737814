import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";
import { atTerminal } from "../support/terminal.ts";

async function openShop() {
  const data = tempDirectory();
  const here = onData(data);
  await here.run("projects", "create", "shop", "--environments", "production,staging");
  return { ...here, data, at: (...args: string[]) => atTerminal([...args, "--data", data]) };
}

/** The keys that leave a question without an answer. */
const LEFT = [
  ["Ctrl-C", "\x03"],
  ["Ctrl-D", "\x04"],
  ["Escape", "\x1b"],
] as const;

describe("a delete", () => {
  test("is not answered by what was typed before the question", async () => {
    const { at, run } = await openShop();
    const terminal = at("projects", "delete", "shop");
    terminal.type("shop\ry\rls\rsho");
    await terminal.shows("Type shop to confirm");
    terminal.type("\r");
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 1, screen: expect.stringContaining("Nothing was changed.") });
    expect((await run("projects", "get", "shop")).code).toBe(0);
  });

  test.each(LEFT)("is left by %s, without a word", async (_, key) => {
    const { at, run } = await openShop();
    const terminal = at("projects", "delete", "shop");
    await terminal.shows("Type shop to confirm");
    terminal.type(key);
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 130, screen: expect.not.stringContaining("changed") });
    expect((await run("projects", "get", "shop")).code).toBe(0);
  });

  test("asks for the name, and for it again where another is typed", async () => {
    const { at, run } = await openShop();
    const terminal = at("projects", "delete", "shop");
    await terminal.shows("Type shop to confirm");
    terminal.type("ls\r");
    await terminal.shows("Type shop, or Enter to leave it");
    terminal.type("shop\r");
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("deleted project shop") });
    expect((await run("projects", "get", "shop")).code).toBe(3);
  });

  test.each([["n"], ["No"]])("is left after %s", async (answer) => {
    const { at, run } = await openShop();
    const terminal = at("projects", "delete", "shop");
    await terminal.shows("Type shop to confirm");
    terminal.type(`${answer}\r`);
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 1, screen: expect.stringContaining("Nothing was changed.") });
    expect((await run("projects", "get", "shop")).code).toBe(0);
  });

  test("of what is named n is made after n", async () => {
    const { at, run } = await openShop();
    await run("projects", "create", "n");
    const terminal = at("projects", "delete", "n");
    await terminal.shows("Type n to confirm");
    terminal.type("n\r");
    expect((await terminal.ends()).code).toBe(0);
    expect((await run("projects", "get", "n")).code).toBe(3);
  });

  test.each([
    ["Enter alone", "\r", 1],
    ["n", "n\r", 1],
    ["Ctrl-D", "\x04", 130],
  ])("is left after another name by %s", async (_, keys, code) => {
    const { at, run } = await openShop();
    const terminal = at("projects", "delete", "shop");
    await terminal.shows("Type shop to confirm");
    terminal.type("ls\r");
    await terminal.shows("Type shop, or Enter to leave it");
    terminal.type(keys);
    expect((await terminal.ends()).code).toBe(code);
    expect((await run("projects", "get", "shop")).code).toBe(0);
  });

  test("is left by an interrupt that was typed before the question", async () => {
    const { at, run } = await openShop();
    const terminal = at("projects", "delete", "shop");
    terminal.type("\x03");
    expect((await terminal.ends()).code).toBe(130);
    expect((await run("projects", "get", "shop")).code).toBe(0);
  });
});

describe("a form that is not named", () => {
  test("is asked for in whole words on a terminal that says it has too few columns for one", async () => {
    const { run, data } = await openShop();
    await run("forms", "create", "contact");
    const terminal = atTerminal(["forms", "get", "--data", data], {}, 1);
    await terminal.shows("Which form?");
    await terminal.shows("type a name, or choose with the arrow keys");
    terminal.type("cont\r");
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("contact") });
  });

  test("is chosen among those that there are", async () => {
    const { at, run } = await openShop();
    for (const form of ["contact", "orders"]) await run("forms", "create", form);
    const terminal = at("forms", "get");
    await terminal.shows("Which form?");
    await terminal.shows("orders");
    terminal.type("ord\r");
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("orders") });
  });

  test("is a new name where one is created", async () => {
    const { at, run } = await openShop();
    await run("forms", "create", "contact");
    const terminal = at("forms", "create");
    await terminal.shows("Which form?");
    terminal.type("orders\r");
    expect((await terminal.ends()).code).toBe(0);
    expect((await run("forms", "get", "orders")).code).toBe(0);
  });
});

test.each([
  ["target", "127.0", ["targets", "get"], "http://127.0.0.1:9"],
  ["token", "ci", ["tokens", "get"], "scopes"],
  ["user", "ann", ["users", "get"], "role"],
])("a %s that is not named is chosen among those that there are", async (kind, typed, command, shows) => {
  const { at, run, data } = await openShop();
  await run("forms", "create", "contact");
  await formflag(["targets", "add", "contact", "http://127.0.0.1:9/hook", "--data", data], {
    env: { FORMFLAG_TARGET_NETWORK: "127.0.0.0/8" },
  });
  await run("tokens", "create", "ci", "--scope", "read");
  await run("users", "create", "ann", "--role", "admin");
  const terminal = at(...command);
  await terminal.shows(`Which ${kind}?`);
  await terminal.shows("type a name, or choose with the arrow keys");
  terminal.type(`${typed}\r`);
  const { code, screen } = await terminal.ends();
  expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining(shows) });
});

test("a target that is added is asked for with the kinds that there are", async () => {
  const { at, run } = await openShop();
  await run("forms", "create", "contact");
  const terminal = at("targets", "add");
  await terminal.shows("Which form?");
  terminal.type("cont\r");
  await terminal.shows("Which target? (a URL, mail: and an address, or slack:");
  terminal.type("mail:ann@example.com\r");
  await terminal.ends();
  expect((await run("targets", "list", "contact")).stdout).toContain("ann@example.com");
});

test("a token that is created gets a name that is typed", async () => {
  const { at, run } = await openShop();
  await run("tokens", "create", "ci", "--scope", "read");
  const terminal = at("tokens", "create", "--scope", "read");
  await terminal.shows("Which name?");
  terminal.type("other\r");
  expect((await terminal.ends()).code).toBe(0);
});

describe("a change in a locked environment", () => {
  test.each([
    ["is made after y and Enter", "y\r", 0, "on"],
    ["is left after Enter alone", "\r", 1, ""],
    ["is left after n", "n\r", 1, ""],
    ...LEFT.map(([name, key]) => [`is left by ${name}`, key, 130, ""] as const),
  ])("%s", async (_, answer, code, state) => {
    const { at, run } = await openShop();
    await run("environments", "lock", "production", "-p", "shop");
    const terminal = at("flags", "set", "sale", "-p", "shop", "-e", "production", "--on");
    terminal.type("y\ry\ry");
    await terminal.shows("Change it all the same?");
    terminal.type(answer);
    const ended = await terminal.ends();
    expect(ended.code).toBe(code);
    expect(ended.screen.includes("Nothing was changed.")).toBe(code === 1);
    const { stdout } = await run("flags", "get", "sale", "-p", "shop", "-e", "production");
    expect(/^state +(\w+)$/m.exec(stdout)?.[1] ?? "").toBe(state);
  });
});

test.each([
  ["Enter alone", "\r", 1, ""],
  ["n", "n\r", 1, ""],
  ["Ctrl-D", "\x04", 130, ""],
  ["y", "y\r", 0, "on"],
])("a question that got another answer takes %s then", async (_, keys, code, state) => {
  const { at, run } = await openShop();
  await run("environments", "lock", "production", "-p", "shop");
  const terminal = at("flags", "set", "sale", "-p", "shop", "-e", "production", "--on");
  await terminal.shows("Change it all the same?");
  terminal.type("maybe\r");
  await terminal.shows("Type y and Enter to go on, or Enter to leave it");
  terminal.type(keys);
  expect((await terminal.ends()).code).toBe(code);
  const { stdout } = await run("flags", "get", "sale", "-p", "shop", "-e", "production");
  expect(/^state +(\w+)$/m.exec(stdout)?.[1] ?? "").toBe(state);
});

describe("the choice of an environment", () => {
  test("is not made by Enter alone", async () => {
    const { at, run } = await openShop();
    const terminal = at("flags", "set", "sale", "-p", "shop", "--on");
    terminal.type("\r\r");
    await terminal.shows("Which environment?");
    terminal.type("\r");
    await terminal.shows("Choose with the arrow keys, or type a name");
    terminal.type("\x03");
    expect((await terminal.ends()).code).toBe(130);
    expect(await onNothing(run)).toBe(true);
  });

  test("is made by typing, or with the arrow keys", async () => {
    const { at } = await openShop();
    for (const [flag, typed, environment] of [
      ["sale", "stag\r", "staging"],
      ["banner", "\x1b[B\r", "production"],
    ] as const) {
      const terminal = at("flags", "set", flag, "-p", "shop", "--on");
      await terminal.shows("Which environment?");
      terminal.type(typed);
      const { code, screen } = await terminal.ends();
      expect(screen).toContain(`${flag} is a new flag of project shop`);
      expect({ code, screen }).toEqual({
        code: 0,
        screen: expect.stringContaining(`created ${flag} in shop/${environment}: on`),
      });
    }
  });

  const onNothing = async (run: (...args: string[]) => Promise<{ stdout: string }>) =>
    !(await run("flags", "list", "-p", "shop", "-e", "production")).stdout.includes("sale");
});

test("the change to roll back to is chosen from those of the flag", async () => {
  const { at, run } = await openShop();
  const here = ["-p", "shop", "-e", "production"];
  for (const payload of ["1", "2", "3"])
    await run("flags", "set", "sale", ...here, "--on", "--payload", payload);
  const terminal = at("flags", "rollback", "sale", ...here);
  await terminal.shows("Set sale to what it was after which change?");
  terminal.type("\x1b[B\x1b[B\r");
  expect((await terminal.ends()).code).toBe(0);
  expect((await run("flags", "get", "sale", ...here, "--field", "payload")).stdout).toBe("2\n");
});

test("a name that is missing is asked for", async () => {
  const { at, run } = await openShop();
  await run("projects", "create", "blog");
  const terminal = at("projects", "get");
  await terminal.shows("Which project?");
  terminal.type("sh\r");
  expect((await terminal.ends()).screen).toContain("x-project-key");
});

describe("the value of a header", () => {
  test("is typed unseen", async () => {
    const data = tempDirectory();
    const here = onData(data);
    await here.run("forms", "create", "contact");
    const terminal = atTerminal([
      "targets",
      "add",
      "contact",
      "https://1.1.1.1/hook",
      "--header",
      "X-A:",
      "--data",
      data,
    ]);
    await terminal.shows("the value of the header X-A");
    terminal.type("TYPED-SECRET\r");
    const { code, screen } = await terminal.ends();
    expect({ code, screen }).toEqual({ code: 0, screen: expect.not.stringContaining("TYPED-SECRET") });
    expect(await here.json<object[]>("targets", "list", "contact")).toMatchObject([{ headers: ["X-A"] }]);
  });
});
