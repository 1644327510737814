import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Token = { name: string; scopes: string[]; createdAt: string; expiresAt: string | null };
type CreatedToken = Token & { token: string };

describe("tokens create", () => {
  test("prints the token alone on standard output, so that it can be put into a file", async () => {
    const { code, stdout, stderr } = await onData(tempDirectory()).run("tokens", "create", "laptop");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "laptop may do everything, as an admin may; --scope limits a token\n",
    });
    // 256 bits are 43 characters of base64url.
    expect(stdout).toMatch(/^[a-z]+_[A-Za-z0-9_-]{43,}\n$/);
  });

  test("prints it with --quiet too, and with its name, scopes and expiry with --json", async () => {
    const here = onData(tempDirectory());
    expect(await here.run("tokens", "create", "quiet", "-q")).toMatchObject({
      stdout: expect.stringMatching(/^ff_/),
      stderr: "",
    });
    expect((await here.run("tokens", "create", "reader", "--scope", "read")).stderr).toBe("");
    expect(await here.json<CreatedToken>("tokens", "create", "laptop")).toEqual({
      name: "laptop",
      scopes: ["admin"],
      createdAt: expect.stringMatching(TIME),
      expiresAt: null,
      token: expect.any(String),
      result: "created",
    } as unknown as CreatedToken);
  });

  test("takes several scopes, repeated or with commas, before the name or after it", async () => {
    const here = onData(tempDirectory());
    const scopes = ["flags:write", "forms:read"];
    for (const [name, args] of [
      ["repeated", ["repeated", "--scope", "flags:write", "--scope", "forms:read"]],
      ["commas", ["commas", "--scope", "flags:write,forms:read"]],
      ["before", ["--scope", "flags:write", "--scope", "forms:read", "before"]],
    ] as const) {
      const token = await here.json<CreatedToken>("tokens", "create", ...args);
      expect(token).toMatchObject({ name, scopes });
    }
  });

  test("takes a lifetime or a time of expiry", async () => {
    const here = onData(tempDirectory());
    const days = await here.json<CreatedToken>("tokens", "create", "days", "--expires", "90d");
    const left = Date.parse(days.expiresAt ?? "") - Date.parse(days.createdAt);
    expect(Math.round(left / 86_400_000)).toBe(90);
    const dated = await here.json<CreatedToken>(
      "tokens",
      "create",
      "dated",
      "--expires",
      "2999-01-01T00:00:00Z",
    );
    expect(dated.expiresAt).toBe("2999-01-01T00:00:00.000Z");
    const never = await here.json<CreatedToken>("tokens", "create", "never", "--expires", "never");
    expect(never.expiresAt).toBeNull();
  });

  test("limits it to the project or environment named, and lists it so", async () => {
    const data = tempDirectory();
    const here = onData(data);
    await here.run("projects", "create", "shop");
    const scope = ["--scope", "flags:write"];
    const whole = await here.json("tokens", "create", "whole", ...scope, "-p", "shop");
    expect(whole).toMatchObject({ scopes: ["flags:write"], project: "shop" });
    const one = await here.json("tokens", "create", "one", ...scope, "-p", "shop", "-e", "develop");
    expect(one).toMatchObject({ project: "shop", environment: "develop" });
    const { stdout } = await here.run("tokens", "list");
    expect(stdout).toMatch(/^whole +flags:write shop +\d/m);
    expect(stdout).toMatch(/^one +flags:write shop\/develop +\d/m);
    // One to everything is as before, whatever the other commands act on by default.
    const everywhere = await formflag(["tokens", "create", "all", "--data", data, "--json"], {
      env: { FORMFLAG_PROJECT: "shop" },
    });
    expect(JSON.parse(everywhere.stdout)).not.toHaveProperty("project");
  });

  test("a name that is taken is a conflict, exit 5", async () => {
    const { run } = onData(tempDirectory());
    await run("tokens", "create", "laptop");
    expect(await run("tokens", "create", "laptop")).toMatchObject({ code: 5, stdout: "" });
  });

  const refusing = onData(emptyData());
  test.each([
    ["no name", [], /the name is missing/],
    ["a name with a space", ["my laptop"], /token is named by/],
    ["a scope there is not", ["t", "--scope", "everything"], /a scope is one of admin, read/],
    ["an expiry in the past", ["t", "--expires", "2020-01-01"], /future/],
    ["an expiry in words", ["t", "--expires", "soon"], /--expires soon/],
    ["a lifetime of nothing", ["t", "--expires", "0d"], /future/],
    [
      "an environment, with a forms scope",
      ["t", "-p", "shop", "-e", "develop", "--scope", "flags:read,forms:read"],
      /the scope forms:read cannot be limited/,
    ],
    [
      "an environment without its project",
      ["t", "-e", "develop", "--scope", "flags:read"],
      /project is missing/,
    ],
  ])("%s is a usage error, exit 2, and makes nothing", async (_, args, message) => {
    const { code, stdout, stderr } = await refusing.run("tokens", "create", ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(await refusing.json<Token[]>("tokens", "list")).toEqual([]);
  });

  test("a lifetime past the end of the calendar is a usage error, no bug", async () => {
    const { code, stderr } = await onData(tempDirectory()).run(
      "tokens",
      "create",
      "t",
      "--expires",
      "999999w",
    );
    expect(stderr).not.toContain("internal error");
    expect([0, 2]).toContain(code);
  });
});

describe("tokens list", () => {
  test("is an array by name that holds no secret, and neither does the database", async () => {
    const data = tempDirectory();
    const here = onData(data);
    const { token } = await here.json<CreatedToken>("tokens", "create", "zoe", "--scope", "read");
    await here.run("tokens", "create", "adam");
    const all = await here.json<Token[]>("tokens", "list");
    expect(all).toEqual([
      { name: "adam", scopes: ["admin"], createdAt: expect.stringMatching(TIME), expiresAt: null },
      { name: "zoe", scopes: ["read"], createdAt: expect.stringMatching(TIME), expiresAt: null },
    ]);
    expect((await here.run("tokens", "list")).stdout).not.toContain(token);
    using db = new Database(join(data, "formflag.db"), { readonly: true });
    expect(JSON.stringify(db.query("SELECT * FROM tokens").all())).not.toContain(token);
  });
});

describe("tokens revoke", () => {
  test("removes it; a second time it is exit 3", async () => {
    const here = onData(tempDirectory());
    await here.run("tokens", "create", "laptop");
    expect(await here.json("tokens", "revoke", "laptop")).toEqual({ name: "laptop", result: "revoked" });
    expect(await here.json<Token[]>("tokens", "list")).toEqual([]);
    expect(await here.run("tokens", "revoke", "laptop")).toMatchObject({ code: 3, stdout: "" });
  });
});
