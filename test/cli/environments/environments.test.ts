import { describe, expect, test } from "bun:test";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const KEY = /^[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}$/;

type Environment = { slug: string; name: string; key: string };
type Flag = { slug: string; enabled: boolean; payload: unknown; expiredAt: string | null };

/** A data directory with the project `shop`. */
async function openShop() {
  const data = tempDirectory();
  const commands = onData(data);
  await commands.run("projects", "create", "shop", "--environments", "develop,live");
  return { data, ...commands };
}

describe("environments create", () => {
  test("prints slug, name and a fresh key", async () => {
    const here = await openShop();
    const preview = await here.json<Environment>("environments", "create", "preview", "-p", "shop");
    expect(preview as unknown).toEqual({
      slug: "preview",
      name: "preview",
      key: expect.stringMatching(KEY),
      locked: false,
      color: null,
      approvals: 0,
      approveWith: null,
      position: 3,
      result: "created",
    });
    const named = await here.json<Environment>(
      "environments",
      "create",
      "qa",
      "-p",
      "shop",
      "--name",
      "Tests",
    );
    expect(named.name).toBe("Tests");
    expect(named.key).not.toBe(preview.key);
    expect(await here.json("environments", "get", "qa", "-p", "shop")).toEqual({
      approvals: 0,
      approveWith: null,
      slug: "qa",
      name: "Tests",
      key: named.key,
      locked: false,
      color: null,
      position: 4,
    });
  });

  test("without --from has every flag, off", async () => {
    const here = await openShop();
    await here.run("flags", "set", "sale", "-p", "shop", "-e", "live", "--on", "--payload", "7");
    await here.run("environments", "create", "preview", "-p", "shop");
    const flags = await here.json<Flag[]>("flags", "list", "-p", "shop", "-e", "preview");
    expect(flags).toMatchObject([{ slug: "sale", enabled: false, payload: {}, expiredAt: null }]);
  });

  test("with --from copies every flag's values, and they part from then on", async () => {
    const here = await openShop();
    const live = ["-p", "shop", "-e", "live"];
    await here.run("flags", "set", "sale", ...live, "--on", "--payload", "[1]", "--expires", "2999-01-01");
    await here.run("flags", "set", "other", ...live, "--payload", '"text"');
    await here.run("environments", "create", "preview", "-p", "shop", "--from", "live");
    const copies = await here.json<Flag[]>("flags", "list", "-p", "shop", "-e", "preview");
    expect(copies).toMatchObject([
      { slug: "other", enabled: false, payload: "text", expiredAt: null },
      { slug: "sale", enabled: true, payload: [1], expiredAt: "2999-01-01T00:00:00.000Z" },
    ]);
    await here.run("flags", "set", "sale", ...live, "--off");
    expect(await here.json<Flag>("flags", "get", "sale", "-p", "shop", "-e", "preview")).toMatchObject({
      enabled: true,
    });
  });

  test("a source, a project or a slug that is not there is exit 3, one that is there exit 5", async () => {
    const here = await openShop();
    const results = await Promise.all([
      here.run("environments", "create", "preview", "-p", "shop", "--from", "nope"),
      here.run("environments", "create", "preview", "-p", "nope"),
      here.run("environments", "create", "live", "-p", "shop"),
      here.run("environments", "create", "a b", "-p", "shop"),
      here.run("environments", "create", "-p", "shop"),
      here.run("environments", "create"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([3, 3, 5, 2, 2, 2]);
    expect(results.map(({ stdout }) => stdout).join("")).toBe("");
    expect(await here.json<Environment[]>("environments", "list", "-p", "shop")).toHaveLength(2);
  });
});

describe("environments set --color", () => {
  test("gives an environment a colour that is listed, exported and applied again", async () => {
    const here = await openShop();
    const { run } = here;
    expect((await run("environments", "set", "live", "-p", "shop", "--color", "red")).stdout).toBe(
      "updated environment live of project shop: color red\n",
    );
    expect((await run("environments", "set", "live", "-p", "shop", "--color", "red")).stdout).toStartWith(
      "unchanged",
    );
    expect((await run("environments", "list", "-p", "shop", "--no-color")).stdout).toMatch(/^live .* red$/m);
    expect((await run("environments", "get", "live", "-p", "shop")).stdout).toMatch(/^color +red$/m);
    const created = await here.json("environments", "create", "qa", "-p", "shop", "--color", "blue");
    expect(created).toMatchObject({ color: "blue", locked: false });
    const file = (await run("export", "-p", "shop")).stdout;
    await run("environments", "set", "live", "-p", "shop", "--color", "none");
    expect(await here.json("environments", "get", "live", "-p", "shop")).toMatchObject({ color: null });
    const path = `${tempDirectory()}/formflag.yaml`;
    await Bun.write(path, file);
    expect((await run("apply", "-f", path)).stdout).toContain("+ color: red");
    expect(await here.json("environments", "get", "live", "-p", "shop")).toMatchObject({ color: "red" });
    const wrong = await Promise.all([
      run("environments", "set", "live", "-p", "shop", "--color", "crimson"),
      run("environments", "set", "live", "-p", "shop"),
      run("environments", "set", "nope", "-p", "shop", "--color", "red"),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 3]);
  });
});

describe("environments list", () => {
  test("is an array in their order, which environments set changes", async () => {
    const here = await openShop();
    await here.run("environments", "create", "alpha", "-p", "shop");
    const all = await here.json<Environment[]>("environments", "list", "-p", "shop");
    expect(all.map(({ slug }) => slug)).toEqual(["develop", "live", "alpha"]);
    await here.run("environments", "set", "alpha", "-p", "shop", "--position", "1");
    const after = await here.json<Environment[]>("environments", "list", "-p", "shop");
    expect(after.map(({ slug }) => slug)).toEqual(["alpha", "develop", "live"]);
    const last = await here.run("environments", "set", "alpha", "-p", "shop", "--position", "99");
    expect(last.stdout).toBe("updated environment alpha of project shop: position 3\n");
    const none = await here.run("environments", "set", "alpha", "-p", "shop", "--position", "0");
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("--position 0 is not a whole number from 1"),
    ]);
    expect(Object.keys(all[0]!)).toEqual([
      "slug",
      "name",
      "key",
      "locked",
      "color",
      "approvals",
      "approveWith",
      "position",
    ]);
    const { stdout } = await here.run("environments", "list", "-p", "shop");
    for (const { key } of all) expect(stdout).toContain(key);
  });

  test("takes the project from FORMFLAG_PROJECT, unless -p names another", async () => {
    const { data, run } = await openShop();
    await run("projects", "create", "blog", "--environments", "only");
    const env = { FORMFLAG_PROJECT: "shop", FORMFLAG_DATA: data };
    const fromEnvironment = await formflag(["environments", "list", "--json"], { env });
    const fromOption = await formflag(["environments", "list", "--json", "-p", "blog"], { env });
    expect(JSON.parse(fromEnvironment.stdout)).toHaveLength(2);
    expect(JSON.parse(fromOption.stdout)).toMatchObject([{ slug: "only" }]);
  });

  test("without a project is exit 2 and names both ways to give it", async () => {
    const { data, run } = await openShop();
    await run("projects", "create", "blog");
    for (const env of [{}, { FORMFLAG_PROJECT: "" }]) {
      const { code, stdout, stderr } = await formflag(["environments", "list", "--data", data], { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("-p <project>");
      expect(stderr).toContain("FORMFLAG_PROJECT");
    }
  });
});

describe("environments get and delete", () => {
  test("what does not exist is exit 3", async () => {
    const { run } = await openShop();
    const results = await Promise.all([
      run("environments", "get", "nope", "-p", "shop"),
      run("environments", "get", "live", "-p", "nope"),
      run("environments", "delete", "nope", "-p", "shop", "--yes"),
      run("environments", "list", "-p", "nope"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([3, 3, 3, 3]);
    expect(results[0].stderr).toContain("formflag environments list -p shop");
  });

  test("a delete wants --yes, and leaves the flags of the others", async () => {
    const here = await openShop();
    await here.run("flags", "set", "sale", "-p", "shop", "-e", "live", "--on");
    expect((await here.run("environments", "delete", "develop", "-p", "shop")).code).toBe(2);
    expect(await here.json<Environment[]>("environments", "list", "-p", "shop")).toHaveLength(2);
    expect(await here.json("environments", "delete", "develop", "-p", "shop", "--yes")).toEqual({
      slug: "develop",
      result: "deleted",
    });
    const left = await here.json<Environment[]>("environments", "list", "-p", "shop");
    expect(left.map(({ slug }) => slug)).toEqual(["live"]);
    expect(await here.json<Flag>("flags", "get", "sale", "-p", "shop", "-e", "live")).toMatchObject({
      enabled: true,
    });
  });
});

test("a locked environment and its project are not deleted with --yes alone", async () => {
  const { run } = onData(emptyData());
  await run("projects", "create", "shop", "--environments", "develop,live,staging");
  for (const each of ["live", "staging"]) await run("environments", "lock", each, "-p", "shop");
  expect(await run("environments", "delete", "live", "-p", "shop", "--yes")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: the environment live of project shop is locked\n" +
      "hint: add --confirm live to change it anyway; --yes is not enough\n",
  });
  const project = ["projects", "delete", "shop", "--yes"];
  expect((await run(...project)).stderr).toStartWith(
    "error: the environments live, staging of project shop are locked\nhint: add --confirm <environment>",
  );
  expect((await run(...project, "--confirm", "live")).code).toBe(2);
  expect((await run("environments", "delete", "live", "-p", "shop", "--yes", "--confirm", "live")).code).toBe(
    0,
  );
  expect((await run(...project, "--confirm", "staging")).code).toBe(0);
});
