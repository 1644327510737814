import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import { emptyData, formflag } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const data = emptyData();

/** Runs a command of a user with a home directory. */
function as(home: string) {
  const env = { HOME: home };
  return (...args: string[]) => formflag([...args, "--data", data], { env });
}
const ann = as(tempDirectory());

beforeAll(async () => {
  await ann("projects", "create", "shop");
  await ann("flags", "create", "search", "-p", "shop");
});

describe("The only project", () => {
  test("is the one that is meant", async () => {
    expect((await ann("flags", "enable", "search", "-e", "staging")).stdout).toBe(
      "updated search in shop/staging: on\n",
    );
  });

  test("is none once there is another, and both are named", async () => {
    await ann("projects", "create", "blog", "--environments", "live");
    await ann("flags", "create", "dark", "-p", "blog");
    const { code, stderr } = await ann("flags", "list");
    expect([code, stderr]).toEqual([2, expect.stringContaining("the project is missing")]);
    expect(stderr).toContain("blog, shop");
  });
});

describe("use", () => {
  const home = tempDirectory();
  const bob = as(home);

  test("keeps a project and an environment for later commands of this user alone", async () => {
    expect((await bob("use", "shop/production")).stdout).toBe("using shop/production\n");
    const file = join(home, ".config/formflag/config.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ project: "shop", environment: "production" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await bob("flags", "enable", "search")).stdout).toBe("updated search in shop/production: on\n");
    expect((await bob("config", "show")).stdout).toMatch(/^environment +production +config /m);
    expect((await ann("flags", "enable", "search")).code).toBe(2);
  });

  test("gives way to options, and its environment is never that of another project", async () => {
    expect((await bob("flags", "disable", "search", "-e", "staging")).stdout).toContain("shop/staging: off");
    const other = await bob("flags", "set", "dark", "--off", "-p", "shop");
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("the environment is missing")]);
  });

  test("takes the environment as the list of a verb for several", async () => {
    expect((await bob("flags", "disable", "search")).stdout).toContain("search in shop/production: off\n");
  });

  test("refuses what there is not, and keeps what was chosen", async () => {
    for (const [place, said] of [
      ["shop/nowhere", "it has develop, staging, production"],
      ["nothing", 'project "nothing" does not exist'],
      ["shop/production/search", "write it as shop/production"],
    ]) {
      const { code, stderr } = await bob("use", place!);
      expect(code).toBeGreaterThan(1);
      expect(stderr).toContain(said!);
    }
    expect((await bob("use")).stdout).toBe("project      shop\nenvironment  production\n");
  });

  test("forgets with --none", async () => {
    await bob("use", "--none");
    expect((await bob("use")).stdout).toContain("nothing is kept");
    expect((await bob("flags", "enable", "search", "-e", "staging")).code).toBe(2);
  });

  test("says what to do with a file that is not its own", async () => {
    writeFileSync(join(home, ".config/formflag/config.json"), "{");
    const { code, stderr } = await bob("flags", "list");
    expect([code, stderr]).toEqual([2, expect.stringContaining("remove it, and choose again")]);
  });
});

describe("A flag in one word", () => {
  test("names its project and environment", async () => {
    expect((await ann("flags", "enable", "shop/develop/search")).stdout).toContain("shop/develop: on");
    const { stdout } = await ann("flags", "get", "shop/develop/search", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ slug: "search" });
    await ann("flags", "create", "banner", "-p", "shop");
    const both = await ann("flags", "disable", "shop/develop/search", "shop/develop/banner");
    expect(both.code).toBe(0);
  });

  test.each([
    [["enable", "shop/develop/search", "-p", "blog"], "the flag names another project than -p"],
    [["enable", "shop/develop/search", "shop/staging/search"], "these flags are not in one environment"],
  ])("is refused with %p", async (args, said) => {
    const { code, stderr } = await ann("flags", ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
