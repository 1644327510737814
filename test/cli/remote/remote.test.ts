import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

const server = await startServer();
const local = onData(server.data);

async function createToken(name: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await local.run("tokens", "create", name, "-q", ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trim();
}

/** Commands on the server, with that token. */
function withToken(token: string) {
  const run = (...args: string[]) =>
    formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: token } });
  return {
    run,
    async json<T>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await run(...args, "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout) as T;
    },
  };
}

const admin = withToken(await createToken("admin"));

/** Expects a command to say the same here and there, in words and as JSON, but for the server's own address. */
async function expectAlike(...args: string[]): Promise<void> {
  for (const more of [[], ["--json"]]) {
    const [here, there] = await Promise.all([local.run(...args, ...more), admin.run(...args, ...more)]);
    const placeless = ({ stdout, ...rest }: Awaited<ReturnType<typeof local.run>>) => ({
      ...rest,
      stdout: stdout.replaceAll(server.url, ""),
    });
    expect(placeless(there)).toEqual(placeless(here));
  }
}

async function submit(key: string, body: FormData): Promise<string> {
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

test("the address of a server may be that of its admin API", async () => {
  for (const end of ["/", "/api/admin/v1", "/api/admin/v1/"]) {
    const env = { FORMFLAG_TOKEN: await createToken(`at-${end.length}`) };
    const { code, stderr } = await formflag(["projects", "list", "--server", `${server.url}${end}`], { env });
    expect([end, code, stderr]).toEqual([end, 0, ""]);
  }
});

describe("the same commands on a server", () => {
  test("manage projects and environments", async () => {
    await admin.json("projects", "create", "shop", "--environments", "develop,live");
    await admin.json("environments", "create", "preview", "-p", "shop", "--from", "live");
    await admin.run("projects", "create", "gone");
    expect((await admin.run("projects", "delete", "gone")).code).toBe(2);
    expect((await admin.run("projects", "delete", "gone", "--yes")).stdout).toBe("deleted project gone\n");
    await expectAlike("projects", "list");
    await expectAlike("projects", "get", "shop");
    await expectAlike("projects", "get", "gone");
    await expectAlike("projects", "create", "shop");
    await expectAlike("environments", "list", "-p", "shop");
    await expectAlike("environments", "get", "preview", "-p", "shop");
    await expectAlike("environments", "create", "a b", "-p", "shop");
    await admin.run("environments", "delete", "preview", "-p", "shop", "--yes");
    await expectAlike("environments", "get", "preview", "-p", "shop");
  }, 60_000);

  test("manage flags, payloads and all", async () => {
    await local.run("projects", "create", "flagged");
    const here = ["-p", "flagged", "-e", "develop"];
    const file = join(tempDirectory(), "payload.json");
    await Bun.write(file, '{"a":[1,"ä"]}');
    const set = ["flags", "set", "sale", ...here, "--on", "--payload", `@${file}`, "--expires", "2999-01-01"];
    expect(await admin.json("flags", "set", "new", ...here)).toMatchObject({ result: "created" });
    expect(await admin.json(...set)).toMatchObject({ result: "created", payload: { a: [1, "ä"] } });
    expect(await admin.json(...set)).toMatchObject({ result: "unchanged" });
    expect(await admin.json("flags", "set", "sale", ...here, "--off")).toMatchObject({
      result: "updated",
      expiredAt: "2999-01-01T00:00:00.000Z",
    });
    await expectAlike("flags", "list", ...here);
    await expectAlike("flags", "get", "sale", ...here);
    await expectAlike("flags", "get", "nope", ...here);
    await expectAlike("flags", "set", "sale", ...here);
    await expectAlike("flags", "set", "preview", ...here);
    expect((await admin.run("flags", "delete", "sale", "-p", "flagged", "--yes")).code).toBe(0);
    await expectAlike("flags", "get", "sale", ...here);
  }, 60_000);

  test("raise shares by steps, also where an older server knows no ramps", async () => {
    await local.run("projects", "create", "ramped");
    const here = ["-p", "ramped", "-e", "develop"];
    await local.run("flags", "set", "search", ...here, "--off");
    await local.run("flags", "set", "sale", ...here, "--off");
    await local.run("flags", "set", "sale", ...here, "--on", "--at", "2h");
    const ramp = (...args: string[]) => admin.run("flags", "ramp", "search", ...here, ...args);
    await expectAlike("flags", "ramp", "search", ...here);
    const begun = await ramp("--variant", "on", "--to", "1,50,100", "--every", "1d");
    expect([begun.code, begun.stdout]).toEqual([0, expect.stringContaining("on has 1 % of users")]);
    for (const args of [
      ["--variant", "on", "--to", "60", "--every", "1d"],
      ["--to", "60"],
    ])
      await expectAlike("flags", "ramp", "search", ...here, ...args);
    expect((await ramp("--pause")).stdout).toContain("50 % once resumed");
    await expectAlike("flags", "ramp", "search", ...here);
    await expectAlike("flags", "ramp", "search", ...here, "--pause");
    expect((await ramp("--resume")).code).toBe(0);
    await expectAlike("flags", "ramps", "-p", "ramped");
    await expectAlike("flags", "scheduled", "-p", "ramped");
    await expectAlike("flags", "get", "search", ...here);

    const older = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (/\/ramps?(?:$|\/)/.test(pathname))
          return Response.json(
            { error: { code: "not_found", message: "the admin API has no such address or method" } },
            { status: 404 },
          );
        const answer = await fetch(`${server.url}${pathname}${search}`, request);
        return new Response(await answer.bytes(), { status: answer.status, headers: answer.headers });
      },
    });
    const env = { FORMFLAG_TOKEN: await createToken("of-ramps") };
    const there = (...args: string[]) => formflag([...args, "--server", older.url.origin], { env });
    const scheduled = await there("flags", "scheduled", "-p", "ramped", "--json");
    expect(scheduled).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(scheduled.stdout)).toMatchObject([{ flag: "sale" }]);
    expect((await there("flags", "scheduled", "-p", "nope")).stderr).toContain('"nope" does not exist');
    expect(await there("flags", "ramps", "-p", "ramped")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("the server is of an earlier version than this command: update it"),
    });
    await older.stop(true);
    const aborted = await ramp("--abort");
    expect([aborted.code, aborted.stdout]).toEqual([0, expect.stringContaining("on has 0 % of users\n")]);
  }, 60_000);

  test("manage segments that a form fills, and export flags beside them", async () => {
    await local.run("projects", "create", "filled");
    await local.run("forms", "create", "beta", "-p", "filled");
    const here = ["-p", "filled", "-e", "develop"];
    const set = await admin.run(
      "segments",
      "set",
      "beta",
      ...here,
      "--from-form",
      "beta",
      "--field",
      "email",
    );
    expect(set).toMatchObject({ code: 0, stderr: "" });
    await expectAlike("segments", "list", ...here);
    await expectAlike("segments", "get", "beta", ...here);
    await expectAlike("flags", "export", "--format", "flagd", ...here);
  }, 60_000);

  test("manage targets of a project", async () => {
    await local.run("projects", "create", "noticed");
    const add = ["targets", "add", "https://8.8.8.8/hook", "-p", "noticed"];
    const added = await admin.json<{ id: string; secret: string }>(
      ...add,
      "-e",
      "production",
      "--event",
      "flag.changed",
      "--event",
      "ramp.*",
      "--digest",
      "1h",
    );
    expect(added.secret).toMatch(/^whsec_/);
    expect(await admin.json("targets", "list", "-p", "noticed")).toMatchObject([
      { id: added.id, environment: "production", events: ["flag.changed", "ramp.*"], digest: 3600 },
    ]);
    await expectAlike("targets", "list", "-p", "noticed");
    await expectAlike("targets", "list", "-p", "nope");
    await expectAlike("targets", "get", added.id);
    await expectAlike(...add, "--event", "flag.nope");
    await expectAlike(...add, "-e", "nope");
    await expectAlike(...add, "--digest", "8d");
    await expectAlike("targets", "add", "http://127.0.0.1:9/", "-p", "noticed");
    await expectAlike("targets", "add", "http://169.254.169.254/latest", "-p", "noticed");
    await expectAlike("deliveries", "list", "--project", "noticed");
    expect((await admin.run("targets", "delete", added.id, "--yes")).code).toBe(0);
    await expectAlike("targets", "list", "-p", "noticed");
    await expectAlike("targets", "get", added.id);
  }, 60_000);

  test("manage forms", async () => {
    const form = await admin.json<{ key: string }>("forms", "create", "jobs", "--uploads", "on");
    expect(await admin.json("forms", "create", "jobs", "--if-not-exists")).toEqual({
      ...form,
      result: "unchanged",
    });
    await admin.run(
      "forms",
      "set",
      "jobs",
      "--max-file-size",
      "2MB",
      "--success-url",
      "https://example.com/",
    );
    await admin.run("forms", "disable", form.key);
    await expectAlike("forms", "get", "jobs");
    await expectAlike("forms", "list");
    await expectAlike("forms", "uploads", "jobs", "on");
    await expectAlike("forms", "create", "jobs");
    await expectAlike("forms", "set", "nope", "--name", "x");
    await expectAlike("forms", "set", "jobs", "--max-files", "0");
    await admin.run("forms", "delete", "jobs", "--yes");
    await expectAlike("forms", "get", "jobs");
  }, 60_000);

  test("read, export, download and delete submissions", async () => {
    const { key } = await local.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
    const body = new FormData();
    body.append("name", "=Ada");
    body.append("file", new File(["hello"], "résumé 1.txt"));
    body.append("file", new File(["same"], "same.txt"));
    body.append("file", new File(["same"], "same.txt"));
    const id = await submit(key, body);
    const other = await submit(key, body);
    await expectAlike("submissions", "list", "contact");
    await expectAlike("submissions", "list", key, "--limit", "1");
    await expectAlike("submissions", "list", "contact", "--before", other);
    await expectAlike("submissions", "list", "contact", "--limit", "0");
    await expectAlike("submissions", "get", id);
    await expectAlike("submissions", "get", "nope");
    await expectAlike("submissions", "export", "contact");
    await expectAlike("submissions", "export", "contact", "--format", "csv");
    await expectAlike("submissions", "export", "nope");
    await expectAlike("submissions", "download", id, "1");
    await expectAlike("submissions", "download", id, "résumé 1.txt");
    await expectAlike("submissions", "download", id, "same.txt");
    await expectAlike("submissions", "download", id, "9");
    const file = join(tempDirectory(), "saved.txt");
    expect((await admin.run("submissions", "download", id, "1", "-o", file)).stdout).toBe("");
    expect(await Bun.file(file).text()).toBe("hello");
    expect(await admin.json("submissions", "delete", id, "--yes")).toEqual({ id, result: "deleted" });
    await expectAlike("submissions", "get", id);
  }, 60_000);

  test("manage tokens, and a revoked one ends at once", async () => {
    const { token } = await admin.json<{ token: string }>("tokens", "create", "ci", "--scope", "flags:read");
    expect((await withToken(token).run("projects", "list")).code).toBe(0);
    await expectAlike("tokens", "list");
    await expectAlike("tokens", "create", "ci");
    expect(await admin.json("tokens", "revoke", "ci")).toEqual({ name: "ci", result: "revoked" });
    expect((await withToken(token).run("projects", "list")).code).toBe(4);
    await expectAlike("tokens", "revoke", "ci");
  }, 60_000);

  test("make no data directory here", async () => {
    const cwd = tempDirectory();
    const env = { FORMFLAG_TOKEN: await createToken("elsewhere"), FORMFLAG_SERVER: server.url };
    expect((await formflag(["forms", "list"], { cwd, env })).code).toBe(0);
    expect([...new Bun.Glob("**").scanSync({ cwd, onlyFiles: false })]).toEqual([]);
  });
});

describe("the token", () => {
  const list = ["projects", "list", "--server", server.url];

  test("comes from FORMFLAG_TOKEN, a --token-file or FORMFLAG_TOKEN_FILE", async () => {
    const token = await createToken("everywhere");
    const file = join(tempDirectory(), "token");
    await Bun.write(file, `${token}\n`);
    const results = await Promise.all([
      formflag(list, { env: { FORMFLAG_TOKEN: token } }),
      formflag([...list, "--token-file", file]),
      formflag(list, { env: { FORMFLAG_TOKEN_FILE: file } }),
      // What is on the command line wins.
      formflag([...list, "--token-file", file], { env: { FORMFLAG_TOKEN: "ff_wrong" } }),
      formflag(list, { env: { FORMFLAG_TOKEN: token, FORMFLAG_TOKEN_FILE: "" } }),
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  });

  test("that is wrong is exit 4, and is not shown", async () => {
    for (const token of ["ff_wrong", "wrong token", "ff_wröng"]) {
      const { code, stdout, stderr } = await formflag(list, { env: { FORMFLAG_TOKEN: token } });
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).not.toContain(token);
    }
    const { stderr } = await withToken("ff_wrong").run("projects", "list", "--json");
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "unauthenticated" } });
  });

  test("with a slash behind the server's address works as well", async () => {
    const env = { FORMFLAG_TOKEN: await createToken("slash"), FORMFLAG_SERVER: `${server.url}/` };
    expect((await formflag(["projects", "list"], { env })).code).toBe(0);
  });
});

const { key } = await local.json<{ key: string }>("forms", "create", "scoped");
await local.run("projects", "create", "scoped");
const body = new FormData();
body.append("a", "1");
const place = ["-p", "scoped", "-e", "develop"];
const commandsOn = (id: string) => ({
  readFlags: ["flags", "list", ...place],
  readProjects: ["projects", "get", "scoped"],
  readEnvironments: ["environments", "list", "-p", "scoped"],
  writeFlags: ["flags", "set", "sale", ...place, "--on"],
  makeProjects: ["projects", "create", "scoped"],
  makeEnvironments: ["environments", "create", "develop", "-p", "scoped"],
  readForms: ["forms", "list"],
  readSubmissions: ["submissions", "get", id],
  exportSubmissions: ["submissions", "export", "scoped"],
  writeForms: ["forms", "set", "scoped", "--name", "Scoped"],
  deleteSubmissions: ["submissions", "delete", id, "--yes"],
  readTokens: ["tokens", "list"],
});
const names = Object.keys(commandsOn(""));
const flagReads = ["readFlags", "readProjects", "readEnvironments"];
const formReads = ["readForms", "readSubmissions", "exportSubmissions"];

describe("scopes", () => {
  test.each([
    ["admin", names],
    ["read", [...flagReads, ...formReads]],
    ["flags:read", flagReads],
    ["flags:write", [...flagReads, "writeFlags"]],
    ["forms:read", formReads],
    ["forms:write", [...formReads, "writeForms", "deleteSubmissions"]],
  ])("%s allows what it says and nothing else", async (scope, allowed) => {
    const { run } = withToken(await createToken(`only-${scope.replace(":", "-")}`, "--scope", scope));
    const commands = Object.entries(commandsOn(await submit(key, body)));
    const refused: string[] = [];
    // What is allowed may fail for another reason: what it makes is there already.
    for (const [name, args] of commands) if ((await run(...args)).code === 4) refused.push(name);
    expect(refused).toEqual(names.filter((name) => !allowed.includes(name)));
  });

  test("that lack something are exit 4 and the message names what", async () => {
    const { run } = withToken(await createToken("reader", "--scope", "flags:read"));
    const { code, stdout, stderr } = await run("flags", "set", "nothing", ...place, "--on");
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain("flags:write");
    const limited = withToken(await createToken("reader-of-scoped", "--scope", "flags:read", "-p", "scoped"));
    expect((await limited.run("flags", "set", "nothing", ...place, "--on")).stderr).toEndWith(
      "hint: it holds flags:read in project scoped; an admin creates another: formflag tokens create <name> --scope flags:write -p scoped\n",
    );
    expect((await local.run("flags", "get", "nothing", ...place)).code).toBe(3);
  });

  test("a token that has expired is exit 4", async () => {
    const { run } = withToken(await createToken("short", "--expires", "1s"));
    const deadline = Date.now() + 5000;
    let code = 0;
    while (code === 0 && Date.now() < deadline) ({ code } = await run("projects", "list"));
    expect(code).toBe(4);
  });
});

test.each(["payment_required", "constructor", "__proto__"])(
  "a server that answers with an error of a kind unknown here, %s, does not pass for success",
  async (code) => {
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => Response.json({ error: { code, message: "nope", hint: null } }, { status: 402 }),
    });
    const result = await formflag(["projects", "list", "--server", other.url.origin], {
      env: { FORMFLAG_TOKEN: "ff_x" },
    });
    await other.stop(true);
    expect(result.code).toBe(6);
    expect(result.stderr).toContain("answered 402");
  },
);

test("a token with a line break in it is exit 4, not a bug", async () => {
  const env = { FORMFLAG_TOKEN: "ff_a\nb" };
  const { code, stderr } = await formflag(["projects", "list", "--server", "http://127.0.0.1:9"], { env });
  expect(code).toBe(4);
  expect(stderr).toContain("FORMFLAG_TOKEN holds no token");
});
