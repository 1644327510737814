import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { emptyData, formflag } from "../../support/commands.ts";
import { atTerminal } from "../../support/terminal.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A user with a home directory, and commands on data with two projects. */
async function openShop() {
  const data = emptyData();
  const home = tempDirectory();
  const as =
    (home: string) =>
    (...args: string[]) =>
      formflag(args, { env: { HOME: home, FORMFLAG_DATA: data } });
  const run = as(home);
  await run("projects", "create", "shop");
  for (const flag of ["search", "banner"]) await run("flags", "create", flag, "-p", "shop");
  const other = () => run("projects", "create", "blog", "--environments", "live");
  return { run, other, file: join(home, ".config/formflag/config.json"), stranger: as(tempDirectory()) };
}

test("the only project is the one that is meant, until there is another", async () => {
  const { run, other } = await openShop();
  expect((await run("flags", "enable", "search", "-e", "staging")).stdout).toBe(
    "updated search in shop/staging: on\n",
  );
  await other();
  const { code, stderr } = await run("flags", "list");
  expect([code, stderr]).toEqual([2, expect.stringContaining("the project is missing")]);
  expect(stderr).toContain("blog, shop");
});

describe("use", () => {
  test("keeps a project and an environment for later commands of this user alone", async () => {
    const { run, other, file, stranger } = await openShop();
    await other();
    expect((await run("use", "shop/production")).stdout).toBe("using shop/production\n");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ project: "shop", environment: "production" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run("flags", "enable", "search")).stdout).toBe("updated search in shop/production: on\n");
    expect((await run("config", "show")).stdout).toMatch(/^environment +production +config /m);
    expect((await stranger("flags", "enable", "search")).code).toBe(2);
  });

  test("names no environment for a target of proposed changes, which are those of a project", async () => {
    const { run } = await openShop();
    await run("use", "shop/production");
    const added = await run("targets", "add", "https://1.1.1.1/hook", "--on", "changes", "--json");
    expect([added.stderr, added.code]).toEqual([expect.not.stringContaining("error"), 0]);
    const listed = await run("targets", "list", "--on", "changes", "--json");
    expect(JSON.parse(listed.stdout)).toHaveLength(1);
    const named = await run("targets", "add", "https://1.1.1.1/hook", "--on", "changes", "-e", "staging");
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("--on goes without -e")]);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    "as root in the home of another user leaves the file and its folders to that user",
    async () => {
      const { run, file } = await openShop();
      const home = join(file, "../../..");
      chownSync(home, 1234, 1235);
      await run("use", "shop");
      await run("use", "shop/production");
      for (const path of [file, join(file, ".."), join(file, "../..")])
        expect([statSync(path).uid, statSync(path).gid]).toEqual([1234, 1235]);
    },
  );

  test("gives way to options, and its environment is never that of another project", async () => {
    const { run, other } = await openShop();
    await other();
    await run("use", "shop/production");
    expect((await run("flags", "disable", "search", "-e", "staging")).stdout).toContain("shop/staging: off");
    const { code, stderr } = await run("flags", "set", "search", "--off", "-p", "shop");
    expect([code, stderr]).toEqual([2, expect.stringContaining("the environment is missing")]);
  });

  test("limits a token to the environment only if its scopes can be, and one that is typed is refused", async () => {
    const { run } = await openShop();
    await run("use", "shop/production");
    for (const [scopes, environment] of [
      [["admin"], undefined],
      [["read"], undefined],
      [["flags:refs"], undefined],
      [["flags:write", "forms:read"], undefined],
      [[], undefined],
      [["flags:write"], "production"],
      [["flags:evaluate"], "production"],
    ] as const) {
      const name = `t-${scopes.join("-").replaceAll(":", "-")}`;
      const given = scopes.flatMap((each) => ["--scope", each]);
      const { code, stdout, stderr } = await run("tokens", "create", name, ...given, "--json");
      expect({ name, code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("shop") });
      const { project, environment: limit } = JSON.parse(stdout) as Record<string, string | undefined>;
      expect({ name, project, limit }).toEqual({ name, project: "shop", limit: environment });
    }
    const { code, stderr } = await run("tokens", "create", "x", "--scope", "admin", "-e", "production");
    expect([code, stderr]).toEqual([2, expect.stringContaining("cannot be limited to an environment")]);
  });

  test("is not for data or a server that is named", async () => {
    const { run } = await openShop();
    await run("use", "shop/production");
    const elsewhere = await run("flags", "list", "--data", emptyData());
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      2,
      expect.stringContaining("the project is missing"),
    ]);
  });

  test("refuses what there is not, and keeps what was chosen", async () => {
    const { run } = await openShop();
    await run("use", "shop/production");
    for (const [place, said] of [
      ["shop/nowhere", "it has develop, staging, production"],
      ["nothing", 'project "nothing" does not exist'],
      ["shop/production/search", "write it as shop/production"],
    ] as const) {
      const { code, stderr } = await run("use", place);
      expect(code).toBeGreaterThan(1);
      expect(stderr).toContain(said);
    }
    expect((await run("use")).stdout).toBe("project      shop\nenvironment  production\n");
  });

  test.each([
    ["staging", "an environment follows its project: formflag use shop/staging"],
    ["stagin", "an environment follows its project: formflag use shop/staging"],
    ["none", "formflag use --none forgets what was chosen"],
    ["sho", "did you mean shop?"],
  ])("of %s names what is meant, with the only project or the kept one", async (place, hint) => {
    const { run, other } = await openShop();
    expect((await run("use", place)).stderr).toEndWith(`hint: ${hint}\n`);
    await other();
    await run("use", "shop");
    expect((await run("use", place)).stderr).toEndWith(`hint: ${hint}\n`);
  });

  test("is left out of the commands that hints and notes name, which work so", async () => {
    const { run, other } = await openShop();
    await other();
    await run("use", "shop/production");
    expect((await run("flags", "get", "nope")).stderr).toEndWith(
      "hint: formflag flags list lists the flags\n",
    );
    expect((await run("flags", "list", "-e", "blue")).stderr).toContain("formflag environments list lists");
    expect((await run("flags", "kill", "search")).stderr).toEndWith(
      "hint: type formflag flags disable search\n",
    );
    const { stderr } = await run("flags", "set", "search", "--if", "plan == pro", "--then", "on");
    expect(stderr).toEndWith("to see what they get: formflag flags evaluate search\n");
    expect((await run("flags", "evaluate", "search")).code).toBe(0);
    // Another project or environment is named.
    expect((await run("flags", "get", "nope", "-p", "blog", "-e", "live")).stderr).toContain(
      "flags list -p blog -e live",
    );
    expect((await run("flags", "get", "nope", "-e", "staging")).stderr).toContain("flags list -e staging");
    expect((await run("flags", "get", "search", "-p", "shop")).stderr).toContain(
      "give it with -e <environment>",
    );
  });

  test("forgets a project and an environment that are deleted, unless they are of a place that is named", async () => {
    const { run, other } = await openShop();
    await other();
    await run("use", "shop/production");
    const data = emptyData();
    await run("projects", "create", "shop", "--data", data);
    await run("projects", "delete", "shop", "--yes", "--data", data);
    await run("environments", "delete", "staging", "-p", "shop", "--yes");
    expect((await run("use")).stdout).toBe("project      shop\nenvironment  production\n");
    const deleted = await run("environments", "delete", "production", "--yes");
    expect([deleted.code, deleted.stderr]).toEqual([0, "formflag use forgets shop/production\n"]);
    expect((await run("use")).stdout).toBe("project  shop\n");
    expect((await run("projects", "delete", "shop", "--yes")).stderr).toBe("formflag use forgets shop\n");
    expect((await run("use")).stdout).toContain("nothing is kept");
  });

  test("forgets with --none", async () => {
    const { run } = await openShop();
    await run("use", "shop/production");
    await run("use", "--none");
    expect((await run("use")).stdout).toContain("nothing is kept");
    expect((await run("flags", "enable", "search")).code).toBe(2);
  });

  test("of a project that is not in this data says how to forget it", async () => {
    const { run, file } = await openShop();
    await run("use", "shop");
    writeFileSync(file, '{"project": "gone"}');
    const { code, stderr } = await run("flags", "list");
    expect([code, stderr]).toEqual([3, expect.stringContaining("formflag use --none forgets it")]);
  });

  test("says that a file cannot be read, instead of taking it for another", async () => {
    const { run, file } = await openShop();
    mkdirSync(file, { recursive: true });
    const { code, stderr } = await run("flags", "list");
    expect([code, stderr]).toEqual([4, expect.stringContaining("cannot be read: EISDIR")]);
  });

  test("says what to do with a file that is not its own", async () => {
    const { run, file } = await openShop();
    await run("use", "shop");
    writeFileSync(file, "{");
    const { code, stderr } = await run("flags", "list");
    expect([code, stderr]).toEqual([2, expect.stringContaining("formflag use --none removes it")]);
    expect(stderr).toContain(file);
  });
});

describe("what is kept", () => {
  /** A user whose login is on a server, and commands that name nothing. */
  function openLogin(kept: object) {
    const home = tempDirectory();
    const file = join(home, ".config/formflag/config.json");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, JSON.stringify(kept));
    return { home, file, run: (...args: string[]) => formflag(args, { env: { HOME: home } }) };
  }

  const SERVER = "http://127.0.0.1:9";

  test("is shown and forgotten without a token for the server", async () => {
    const { run } = openLogin({ server: SERVER, project: "shop" });
    expect(await run("use")).toMatchObject({ code: 0, stdout: `server   ${SERVER}\nproject  shop\n` });
    expect(await run("use", "--none")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("use")).stdout).toBe(`server  ${SERVER}\n`);
  });

  test("is said at a terminal where it is a server", async () => {
    const { home } = openLogin({ server: SERVER });
    const line = `using the server of your login: ${SERVER}`;
    const listed = await atTerminal(["projects", "list"], { HOME: home }).ends();
    expect(listed.screen.split(line)).toHaveLength(2);
    expect((await atTerminal(["projects", "list", "--quiet"], { HOME: home }).ends()).screen).not.toContain(
      line,
    );
  });

  test.each(["check", "doctor", "migrate --to postgres://localhost/x", "backup restore b.tar"])(
    "is no server for %s, which works on the data itself",
    async (line) => {
      const { run } = openLogin({ server: SERVER });
      const { code, stderr } = await run(...line.split(" "));
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          /works on the data itself, and your login is on http.*\nhint: name the data with --data/,
        ),
      ]);
    },
  );

  test("is said where a project limits what a command without one would reach", async () => {
    const { run } = await openShop();
    await run("use", "shop");
    const said = "in project shop, which formflag use keeps\n";
    expect(await run("tokens", "create", "ci", "--scope", "flags:read")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(said),
    });
    expect((await run("export")).stderr).toBe(said);
    expect((await run("flags", "list")).stderr).toBe("");
    expect((await run("export", "--quiet")).stderr).toBe("");
    await run("environments", "create", "live", "-p", "shop", "--if-not-exists");
    await run("use", "shop/live");
    const { stderr } = await run("tokens", "create", "both", "--scope", "flags:read");
    expect((await run("tokens", "create", "all")).stderr).toStartWith(said);
    expect(stderr).toStartWith("in project shop and environment live, which formflag use keeps\n");
  });

  test.each([["use", "--none"], ["logout"]])("that cannot be read is removed by %s %s", async (...args) => {
    const { file, run } = openLogin({});
    writeFileSync(file, "{");
    const { stderr } = await run(...(args as string[]));
    expect(stderr).toContain(`removed ${file}, which was not one that formflag has written\n`);
    expect(await run("use")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("the data of an installed service", () => {
  /** A user with a service, and commands in an empty folder. */
  function openService() {
    const [config, cwd] = [tempDirectory(), tempDirectory()];
    const [unit, data] = [join(config, "systemd/user/formflag.service"), join(tempDirectory(), "data")];
    mkdirSync(join(unit, ".."), { recursive: true });
    const env = { XDG_CONFIG_HOME: config };
    return { cwd, unit, data, run: (...args: string[]) => formflag(args, { env, cwd }) };
  }

  test("is not created by a command, whose user may not be that of the service", async () => {
    const { cwd, unit, data, run } = openService();
    writeFileSync(unit, `ExecStart=/usr/bin/formflag serve --data ${data}\n`);
    expect(await run("forms", "create", "contact")).toMatchObject({
      code: 3,
      stderr: `using the service's data: ${data}\nerror: the data directory ${data} does not exist\nhint: the installed service names it, and creates it: systemctl start formflag; --data names another\n`,
    });
    expect([existsSync(data), readdirSync(cwd)]).toEqual([false, []]);
  });

  test("is not that of a unit that is a folder", async () => {
    const { unit, run } = openService();
    mkdirSync(unit);
    const { code, stderr } = await run("forms", "list");
    expect([code, stderr]).toEqual([3, expect.stringContaining("./formflag-data does not exist")]);
  });
});

describe("A flag in one word", () => {
  test("names its project and environment", async () => {
    const { run, other } = await openShop();
    await other();
    expect((await run("flags", "enable", "shop/develop/search")).stdout).toContain("shop/develop: on");
    const { stdout } = await run("flags", "get", "shop/develop/search", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ slug: "search" });
    expect((await run("flags", "disable", "shop/develop/search", "shop/develop/banner")).code).toBe(0);
  });

  test.each([
    [["enable", "shop/production"], "in one word as in shop/production/search"],
    [["enable", "shop/develop/search/on"], "in one word as in shop/production/search"],
    [["enable", "shop/develop/search", "-p", "blog"], "the flag names another project than -p"],
    [["enable", "shop/develop/search", "shop/staging/search"], "these flags are not in one environment"],
  ])("is refused with %p", async (args, said) => {
    const { run } = await openShop();
    const { code, stderr } = await run("flags", ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
