import { describe, expect, test } from "bun:test";
import { emptyData, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

/** What the scripts of an operator are built of, on a data directory of its own. */
const HERE = ["-p", "shop", "-e", "develop"];
async function openShop() {
  const here = onData(tempDirectory());
  const { run } = here;
  await run("projects", "create", "shop", "--environments", "develop,live");
  await run("flags", "set", "sale", ...HERE, "--on", "--payload", '{"text":"Hi","tags":["a"]}');
  await run("flags", "set", "beta", ...HERE, "--description", "one\ntwo");
  await run("segments", "set", "staff", ...HERE, "--rule", "true");
  await run("forms", "create", "contact");
  return { run, json: <T>(...args: string[]) => here.json<T>(...args) };
}

type Resource = { key: string; environments: { key: string }[] };

describe("--field", () => {
  test("prints one bare value, or one a line of a list", async () => {
    const { run, json } = await openShop();
    const project = await json<Resource>("projects", "get", "shop");
    const form = await json<Resource>("forms", "get", "contact");
    for (const [args, printed] of [
      [["projects", "get", "shop", "--field", "key"], project.key],
      [["projects", "get", "shop", "--field", "environments.1.key"], project.environments[1]!.key],
      [["projects", "list", "--field", "slug"], "shop"],
      [["environments", "get", "live", "-p", "shop", "--field", "key"], project.environments[1]!.key],
      [["environments", "list", "-p", "shop", "--field", "locked"], "false\nfalse"],
      [["forms", "get", "contact", "--field", "key"], form.key],
      [["forms", "get", "contact", "--field", "rateLimit"], ""],
      [["forms", "list", "--field", "maxFiles"], "5"],
      [["flags", "get", "sale", ...HERE, "--field", "enabled"], "true"],
      [["flags", "get", "sale", ...HERE, "--field", "payload"], '{"text":"Hi","tags":["a"]}'],
      [["flags", "get", "sale", ...HERE, "--field", "payload.text"], "Hi"],
      [["flags", "get", "beta", ...HERE, "--field", "description"], "one\ntwo"],
      [["flags", "list", ...HERE, "--field", "description"], '"one\\ntwo"\n'],
      [["segments", "get", "staff", ...HERE, "--field", "rule"], "true"],
      [["segments", "list", ...HERE, "--field", "name"], "staff"],
    ] as const) {
      expect({ args, ...(await run(...args)) }).toEqual({
        args,
        code: 0,
        stdout: `${printed}\n`,
        stderr: "",
      });
    }
    expect((await run("tokens", "list", "--field", "name")).stdout).toBe("");
  }, 60_000);

  test("of a create is a line too, with --quiet as well", async () => {
    const { run, json } = await openShop();
    const { stdout } = await run("forms", "create", "jobs", "--field", "key", "-q");
    expect(stdout).toBe(`${(await json<Resource>("forms", "get", "jobs")).key}\n`);
  });

  test("that does not exist is exit 2 with those that do, and so is --json beside it", async () => {
    const { run } = await openShop();
    const unknown = await run("projects", "get", "shop", "--field", "keys");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("hint: did you mean key? choose one of slug, name, key, environments");
    expect(await run("projects", "get", "shop", "--field", "key", "--json")).toMatchObject({
      code: 2,
      stdout: "",
    });
  });
});

describe("--if-not-exists", () => {
  test.each([
    [
      ["projects", "create", "again"],
      ["projects", "get", "again"],
    ],
    [
      ["environments", "create", "again", "-p", "shop"],
      ["environments", "get", "again", "-p", "shop"],
    ],
    [
      ["forms", "create", "again"],
      ["forms", "get", "again"],
    ],
  ])("on %p says created, then unchanged, and changes nothing", async (create, get) => {
    const { run, json } = await openShop();
    const created = await json<object>(...create, "--if-not-exists");
    const found = await json<{ usage?: object }>(...get);
    // What a project uses is in `get` alone.
    const { usage: _usage, ...made } = found;
    expect(created).toEqual({ ...made, result: "created" });
    const again = await json<object>(...create, "--if-not-exists", "--name", "Other");
    expect(again).toEqual({ ...found, result: "unchanged" });
    expect(await json<object>(...get)).toEqual(found);
    expect((await run(...create)).code).toBe(5);
  });

  test("on tokens create shows no secret a second time, and makes none", async () => {
    const { run, json } = await openShop();
    const { token, ...created } = await json<{ token: string }>(
      "tokens",
      "create",
      "laptop",
      "--if-not-exists",
    );
    expect(token).toStartWith("ff_");
    expect(await json<object>("tokens", "create", "laptop", "--if-not-exists")).toEqual({
      ...created,
      token: null,
      result: "unchanged",
    });
    const again = await run("tokens", "create", "laptop", "--if-not-exists");
    expect(again).toEqual({
      code: 0,
      stdout: "",
      stderr: "the token laptop exists already, and its secret is not shown again\n",
    });
  });
});

test("a change says its result, and a flag and a segment their revision, wherever they are shown", async () => {
  const { json } = await openShop();
  const set = await json<{ revision: number }>("flags", "set", "sale", ...HERE, "--off");
  expect(set).toMatchObject({ result: "updated" });
  expect(set.revision).toBeGreaterThan(0);
  const shown = await json<{ revision: number }>("flags", "get", "sale", ...HERE);
  expect(shown.revision).toBe(set.revision);
  const listed = await json<{ slug: string; revision: number }[]>("flags", "list", ...HERE);
  expect(listed.find(({ slug }) => slug === "sale")!.revision).toBe(set.revision);
  const rolled = await json<object>("flags", "rollback", "sale", ...HERE, "--to", String(set.revision));
  expect(rolled).toMatchObject({ revision: set.revision, result: "unchanged" });
  const segment = await json<object>("segments", "set", "staff", ...HERE, "--rule", "false");
  expect(segment).toMatchObject({ revision: expect.any(Number), result: "updated" });
  const locked = await json<object>("environments", "lock", "live", "-p", "shop");
  expect(locked).toMatchObject({ locked: true, result: "updated" });
});

test("an unknown --field is refused before anything is created or rotated", async () => {
  const here = onData(emptyData());
  const run = here.run;
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, "--field", "nokey");
    expect([args, code, stdout]).toEqual([args, 2, ""]);
    expect(stderr).toStartWith("error: unknown field nokey\nhint: choose one of ");
    expect((await run(...args.slice(0, 3), "--field", "name.first")).code).toBe(2);
  };
  await refused("projects", "create", "pp");
  await refused("forms", "create", "contact");
  await refused("users", "create", "ann", "--role", "viewer");
  expect([
    await here.json("projects", "list"),
    await here.json("forms", "list"),
    await here.json("users", "list"),
  ]).toEqual([[], [], []]);
  await run("projects", "create", "shop", "--environments", "live");
  await refused("environments", "create", "preview", "-p", "shop");
  expect(await here.json("environments", "list", "-p", "shop")).toHaveLength(1);
  await run("forms", "create", "contact");
  await refused("targets", "add", "contact", "https://192.0.2.1/hook");
  expect(await here.json("targets", "list", "contact")).toEqual([]);
  expect((await run("projects", "create", "other", "--field", "environments.0.key")).stdout).toMatch(
    /^\w{4}-/,
  );
  expect((await run("projects", "create", "third", "--field", "result")).stdout).toBe("created\n");
  for (const [create, get] of [
    [
      ["projects", "create", "p"],
      ["projects", "get", "p"],
    ],
    [
      ["forms", "create", "f", "-p", "shop"],
      ["forms", "get", "f"],
    ],
    [
      ["users", "create", "u", "--role", "viewer"],
      ["users", "get", "u"],
    ],
    [
      ["environments", "create", "e", "-p", "shop"],
      ["environments", "get", "e", "-p", "shop"],
    ],
  ] as const) {
    await run(...create);
    const { usage: _usage, ...shown } = await here.json<{ usage?: object }>(...get);
    for (const name of Object.keys(shown))
      expect([name, (await run(...create, "--if-not-exists", "--field", name)).code]).toEqual([name, 0]);
  }
});
