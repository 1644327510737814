import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";
import { shownFlag } from "../../support/records/records.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FIELDS = [
  "slug",
  "enabled",
  "payload",
  "expiredAt",
  "description",
  "createdAt",
  "updatedAt",
  "revision",
];
const HERE = ["-p", "shop", "-e", "develop"];

type Flag = {
  slug: string;
  enabled: boolean;
  payload: unknown;
  expiredAt: string | null;
  description: string;
  createdAt: string;
  updatedAt: string;
  revision: number;
};
type SetFlag = Flag & { result: string };

/** A data directory with the project `shop` and commands on its environment `develop`. */
async function openShop() {
  const data = tempDirectory();
  const commands = onData(data);
  const { run } = commands;
  const json = <T>(...args: string[]) => commands.json<T>(...args);
  await run("projects", "create", "shop");
  return {
    data,
    run,
    json,
    set: (slug: string, ...args: string[]) => json<SetFlag>("flags", "set", slug, ...HERE, ...args),
    get: (slug: string) => json<Flag>("flags", "get", slug, ...HERE),
    /** A `set` that may fail, with something on standard input. */
    trySet: (args: string[], stdin?: string) =>
      formflag(
        ["flags", "set", "sale", ...HERE, "--data", data, ...args],
        stdin === undefined ? {} : { stdin },
      ),
  };
}

const payloads = await openShop();
const refusing = await openShop();

describe("flags set", () => {
  test("makes a flag, off, without payload or expiry, and says created", async () => {
    const { set, get } = await openShop();
    const flag = await set("sale");
    expect(flag.createdAt).toMatch(TIME);
    expect(flag).toEqual({ ...shownFlag("sale", flag.createdAt), result: "created" });
    const { result: _, ...shown } = flag;
    expect(await get("sale")).toEqual(shown);
    expect(Object.keys(await get("sale"))).toEqual(FIELDS);
  });

  test("says updated when something changed and unchanged when nothing did", async () => {
    const { set } = await openShop();
    const created = await set("sale", "--on");
    const again = await set("sale", "--on");
    expect(again).toEqual({ ...created, result: "unchanged" });
    expect((await set("sale")).result).toBe("unchanged");
    expect((await set("sale", "--off")).result).toBe("updated");
    expect((await set("sale", "--payload", '{"b":1,"a":[true]}')).result).toBe("updated");
    expect((await set("sale", "--payload", '{"b": 1, "a": [true]}')).result).toBe("unchanged");
  });

  test("says so in words too", async () => {
    const { run } = await openShop();
    const { code, stdout } = await run("flags", "set", "sale", ...HERE, "--on");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "created sale in shop/develop: on\n" });
    expect((await run("flags", "set", "sale", ...HERE, "--off")).stdout).toBe(
      "updated sale in shop/develop: off\n",
    );
    expect((await run("flags", "set", "sale", ...HERE, "-q")).stdout).toBe("");
  });

  test("changes only what was passed", async () => {
    const { set, get } = await openShop();
    const first = await set(
      ...(["sale", "--on", "--payload", "[1,2]", "--expires", "2999-01-01", "--description", "why"] as const),
    );
    const values = { enabled: true, payload: [1, 2], expiredAt: first.expiredAt, description: "why" };
    expect(first).toMatchObject(values);
    for (const [args, change] of [
      [["--off"], { enabled: false }],
      [["--payload", "null"], { payload: null }],
      [["--expires", "never"], { expiredAt: null }],
      [["--description", ""], { description: "" }],
    ] as const) {
      Object.assign(values, change);
      expect(await set("sale", ...args)).toMatchObject({ ...values, result: "updated" });
      expect(await get("sale")).toMatchObject({ ...values, createdAt: first.createdAt });
    }
  });

  test("creates the flag, off, in the other environments, and its description in all", async () => {
    const { set, json } = await openShop();
    await set("sale", "--on", "--payload", "1", "--description", "for all");
    for (const environment of ["staging", "production"]) {
      expect(await json<Flag>("flags", "get", "sale", "-p", "shop", "-e", environment)).toMatchObject({
        enabled: false,
        payload: {},
        description: "for all",
      });
    }
  });

  test.each(["null", "true", "0", "-1.5e3", '"text"', "[]", "{}", '{"a":{"__proto__":[1,{"b":null}]}}'])(
    "takes the payload %s as JSON",
    async (payload) => {
      const { trySet, run } = payloads;
      expect((await trySet(["--payload", payload])).code).toBe(0);
      const { stdout } = await run("flags", "get", "sale", ...HERE, "--json");
      expect(stdout).toContain(JSON.stringify(JSON.parse(payload), null, 2).split("\n")[0]!);
      expect(JSON.stringify((JSON.parse(stdout) as Flag).payload)).toBe(JSON.stringify(JSON.parse(payload)));
    },
  );

  test("reads the payload from @FILE and from standard input", async () => {
    const { trySet, get } = await openShop();
    const file = join(tempDirectory(), "pay load.json");
    await Bun.write(file, '{ "from": "file ä" }\n');
    expect((await trySet(["--payload", `@${file}`])).code).toBe(0);
    expect((await get("sale")).payload).toEqual({ from: "file ä" });
    expect((await trySet(["--payload", "-"], '["stdin"]\n')).code).toBe(0);
    expect((await get("sale")).payload).toEqual(["stdin"]);
  });

  test("takes a relative @FILE from the current directory", async () => {
    const { data, get } = await openShop();
    const cwd = tempDirectory();
    await Bun.write(join(cwd, "banner.json"), "42");
    const args = ["flags", "set", "sale", ...HERE, "--data", data, "--payload", "@banner.json"];
    expect((await formflag(args, { cwd })).code).toBe(0);
    expect((await get("sale")).payload).toBe(42);
  });

  test.each([
    ["2999-01-31T12:00:00Z", "2999-01-31T12:00:00.000Z"],
    ["2999-01-31T12:00:00.5Z", "2999-01-31T12:00:00.500Z"],
    ["2999-01-31T12:00:00+02:00", "2999-01-31T10:00:00.000Z"],
    ["2999-01-31", "2999-01-31T00:00:00.000Z"],
    ["never", null],
  ])("takes --expires %s as %p", async (given, expiredAt) => {
    expect((await payloads.set("sale", "--on", "--expires", given)).expiredAt).toBe(expiredAt);
  });

  test("a flag past its expiry reads off, and shows when that was", async () => {
    const { set, get, run } = await openShop();
    await set("sale", "--on", "--expires", "2020-01-01T00:00:00Z");
    expect(await get("sale")).toMatchObject({ enabled: false, expiredAt: "2020-01-01T00:00:00.000Z" });
    expect((await run("flags", "get", "sale", ...HERE)).stdout).toMatch(/^state +off, expired$/m);
    expect(await set("sale", "--expires", "never")).toMatchObject({ enabled: true, expiredAt: null });
  });

  test.each([
    ["--on with --off", ["--on", "--off"], /--on.*--off/],
    ["broken JSON", ["--payload", "{bad"], /--payload is not valid JSON/],
    ["a text without quotes", ["--payload", "hello"], /hint: a text needs quotes/],
    ["no JSON at all", ["--payload", ""], /--payload/],
    ["a file that is not there", ["--payload", "@/nonexistent/x.json"], /\/nonexistent\/x\.json/],
    ["empty standard input", ["--payload", "-"], /--payload/],
    ["a time in words", ["--expires", "tomorrow"], /--expires tomorrow/],
    ["a time without a zone", ["--expires", "2999-01-31T12:00:00"], /--expires/],
    ["a description that is too long", ["--description", "x".repeat(2001)], /2000/],
    ["a second name", ["other"], /takes <flag>, not sale other/],
  ])("%s is a usage error, exit 2, and makes no flag", async (_, args, message) => {
    const { code, stdout, stderr } = await refusing.trySet(args, "");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(await refusing.json<Flag[]>("flags", "list", ...HERE)).toEqual([]);
  });

  test.each(["2999-02-31T00:00:00Z", "2999-04-31", "2999-13-01"])(
    "an expiry on a day that no month has, %s, is refused instead of moved",
    async (day) => {
      const { trySet } = await openShop();
      const { code, stdout, stderr } = await trySet(["--on", "--expires", day]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`--expires ${day}`);
    },
  );

  test.each(["preview", "code-refs", "a b", "ä", "-x", "", "..", "a/b", "a".repeat(151)])(
    "the name %p is refused, exit 2, and the message is about the name",
    async (slug) => {
      // `--` ends the options, so that a name may begin with a dash.
      const { code, stdout, stderr } = await refusing.run("flags", "set", ...HERE, "--on", "--", slug);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/flag/);
    },
  );

  test("names of every allowed character are kept, case and all", async () => {
    const { set, json } = await openShop();
    for (const slug of ["A.b_c-9", "a.b_c-9", "0", "a".repeat(150)]) {
      expect((await set(slug)).slug).toBe(slug);
    }
    expect(await json<Flag[]>("flags", "list", ...HERE)).toHaveLength(4);
  });

  test("a project or environment that does not exist is exit 3", async () => {
    const { run } = await openShop();
    const results = await Promise.all([
      run("flags", "set", "sale", "-p", "nope", "-e", "develop", "--on"),
      run("flags", "set", "sale", "-p", "shop", "-e", "nope", "--on"),
    ]);
    expect(results.map(({ code }) => code)).toEqual([3, 3]);
    expect(results[0].stderr).toContain('project "nope"');
    expect(results[1].stderr).toContain('environment "nope"');
  });

  test("twenty at once on one directory all succeed", async () => {
    const { run, json } = await openShop();
    const slugs = Array.from({ length: 20 }, (_, index) => `flag-${index}`);
    const results = await Promise.all(slugs.map((slug) => run("flags", "set", slug, ...HERE, "--on")));
    expect(results.filter(({ code }) => code !== 0)).toEqual([]);
    expect(await json<Flag[]>("flags", "list", ...HERE)).toHaveLength(20);
  }, 60_000);
});

describe("flags get", () => {
  test("one that does not exist is exit 3", async () => {
    const { run } = await openShop();
    const { code, stdout, stderr } = await run("flags", "get", "nope", ...HERE);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("Flag with slug nope does not exist");
  });

  test("takes project and environment from the environment, which options override", async () => {
    const { data, set } = await openShop();
    await set("sale", "--on");
    const env = { FORMFLAG_PROJECT: "shop", FORMFLAG_ENVIRONMENT: "develop", FORMFLAG_DATA: data };
    const here = await formflag(["flags", "get", "sale", "--json"], { env });
    const there = await formflag(["flags", "get", "sale", "--json", "--environment", "staging"], { env });
    expect(JSON.parse(here.stdout)).toMatchObject({ enabled: true });
    expect(JSON.parse(there.stdout)).toMatchObject({ enabled: false });
    expect((await formflag(["flags", "get", "sale", "--project", "nope"], { env })).code).toBe(3);
  });

  test("a missing or empty FORMFLAG_ENVIRONMENT is exit 2 and names both ways to give it", async () => {
    const { data } = await openShop();
    for (const env of [{}, { FORMFLAG_ENVIRONMENT: "" }]) {
      const { code, stderr } = await formflag(["flags", "get", "sale", "-p", "shop", "--data", data], {
        env,
      });
      expect(code).toBe(2);
      expect(stderr).toContain("-e <environment>");
      expect(stderr).toContain("FORMFLAG_ENVIRONMENT");
    }
  });
});

describe("flags list", () => {
  test("is an array by name, each with the fields that readers see and its revision", async () => {
    const { set, get, json, run } = await openShop();
    expect(await json<Flag[]>("flags", "list", ...HERE)).toEqual([]);
    for (const slug of ["pear", "apple", "zebra"]) await set(slug, "--description", `the ${slug}`);
    const all = await json<Flag[]>("flags", "list", ...HERE);
    expect(all.map(({ slug }) => slug)).toEqual(["apple", "pear", "zebra"]);
    expect(all[1]).toEqual(await get("pear"));
    for (const flag of all) expect(Object.keys(flag)).toEqual(FIELDS);
    const { stdout } = await run("flags", "ls", ...HERE);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
  });

  test("shows control characters as escapes, one flag a line", async () => {
    const { set, run } = await openShop();
    await set("sale", "--description", "a\u001b]0;title\u0007\nb");
    const { stdout } = await run("flags", "list", ...HERE);
    expect(stdout).toContain("a\\u001b]0;title\\u0007\\nb");
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect((await run("flags", "get", "sale", ...HERE)).stdout).not.toMatch(/[\u001b\u0007]/);
  });
});

describe("flags delete", () => {
  test("wants --yes, and then removes the flag from every environment", async () => {
    const { set, run, json } = await openShop();
    await set("sale", "--on");
    expect((await run("flags", "delete", "sale", "-p", "shop")).code).toBe(2);
    expect(await json<Flag[]>("flags", "list", ...HERE)).toHaveLength(1);
    expect(await json("flags", "delete", "sale", "-p", "shop", "--yes")).toEqual({
      slug: "sale",
      result: "deleted",
    });
    for (const environment of ["develop", "staging", "production"]) {
      expect(await json<Flag[]>("flags", "list", "-p", "shop", "-e", environment)).toEqual([]);
    }
    expect((await run("flags", "delete", "sale", "-p", "shop", "--yes")).code).toBe(3);
  });
});
