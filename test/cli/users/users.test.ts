import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { signInByLink } from "../../../src/access/sign-in.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { apply } from "../../support/records/apply.ts";
import { random } from "../../support/records/records.ts";
import { reasonOf } from "../../support/refusals.ts";
import { tempDirectory } from "../../support/temp.ts";
import { atTerminal } from "../../support/terminal.ts";
import { BROWSER, whole } from "../../support/records/users.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PATH = /^\/dashboard\/link\/[\w-]{43}$/;

type User = { name: string; role: string; hasPassword: boolean; createdAt: string };
type Link = { name: string; url: string; expiresAt: string; isFirst?: boolean };

/** Signs in on a data directory as the dashboard does, with the link that a command printed. */
async function useLink(data: string, url: string) {
  const store = openSqliteStore(join(data, "formflag.db"), "inline");
  try {
    const secret = url.trim().split("/").at(-1)!;
    return whole(await signInByLink({ store, random, now: Date.now }, secret, BROWSER));
  } finally {
    await store.close();
  }
}

/** Commands on a data directory whose only user is ann, an admin. */
async function withAnn() {
  const here = onData(emptyData());
  expect((await here.run("users", "create", "ann", "--role", "admin")).code).toBe(0);
  return here;
}

describe("users", () => {
  test("are created with a role, shown, listed, changed and deleted", async () => {
    const here = onData(emptyData());
    const { stdout } = await here.run("users", "create", "ann", "--role", "admin");
    expect(stdout).toMatch(
      /^name +ann\nrole +admin\nscopes +admin\npassword +not set\nsecond factors +none\ncreated +\S+\n$/,
    );
    const ben = await here.json<User>("users", "create", "ben", "--role", "inbox");
    expect(ben).toEqual({
      name: "ben",
      role: "inbox",
      hasPassword: false,
      memberships: [],
      identity: null,
      secondFactors: [],
      settings: { timeZone: null, shortcuts: true },
      createdAt: expect.stringMatching(TIME),
      result: "created",
    } as never);
    expect(await here.json<User[]>("users", "list")).toMatchObject([{ name: "ann" }, { name: "ben" }]);
    expect((await here.run("users", "ls")).stdout).toMatch(
      /^USER +ROLE +PASSWORD +CREATED\nann +admin +not set/,
    );
    expect((await here.run("users", "get", "ben", "--field", "role")).stdout).toBe("inbox\n");
    const set = await here.run("users", "set", "ben", "--role", "editor");
    expect(set.stdout).toBe("updated user ben: the role is editor\n");
    expect(await here.json("users", "set", "ben", "--role", "editor")).toMatchObject({ result: "unchanged" });
    expect(await here.run("users", "delete", "ben")).toMatchObject({ code: 2, stdout: "" });
    expect(await here.json("users", "delete", "ben", "--yes")).toEqual({ name: "ben", result: "deleted" });
    expect(await here.run("users", "get", "ben")).toMatchObject({ code: 3, stdout: "" });
  });

  test.each([
    ["no name", ["create", "--role", "viewer"], 2, /the name is missing/],
    ["no role", ["create", "x"], 2, /the role is missing\nhint: add --role: viewer, inbox/],
    ["a role there is not", ["create", "x", "--role", "owner"], 2, /Allowed choices are viewer/],
    ["a name with a space", ["create", "a b", "--role", "viewer"], 2, /^error: a user is named by/],
    ["a name that is taken", ["create", "ann", "--role", "viewer"], 5, /users get ann shows it/],
    ["nobody's role", ["set", "nobody", "--role", "viewer"], 3, /users list lists/],
    ["the last admin's role", ["set", "ann", "--role", "viewer"], 5, /last admin/],
    [
      "the last admin",
      ["delete", "ann", "--yes"],
      5,
      /last admin.*\nhint: formflag users set <name> --role admin/,
    ],
    ["nobody's link", ["link", "nobody"], 3, /users list lists/],
  ])("are refused with %s", async (_, args, code, message) => {
    const here = await withAnn();
    const refused = await here.run("users", ...args);
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(message);
  });

  test("and tokens share their names, which --if-not-exists minds", async () => {
    const here = await withAnn();
    await here.run("tokens", "create", "pipeline");
    for (const args of [
      ["users", "create", "pipeline", "--role", "viewer"],
      ["tokens", "create", "ann"],
    ]) {
      const { code, stderr } = await here.run(...args, "--if-not-exists");
      expect([code, stderr]).toEqual([5, expect.stringContaining("users and tokens share their names")]);
    }
    const again = await here.json("users", "create", "ann", "--role", "viewer", "--if-not-exists");
    expect(again).toMatchObject({ role: "admin", result: "unchanged" });
  });
});

describe("users reset", () => {
  test("removes every second factor, and says so; a user without one stays as it is", async () => {
    const data = emptyData();
    const here = onData(data);
    await here.run("users", "create", "ann", "--role", "admin");
    const store = openSqliteStore(join(data, "formflag.db"), "inline");
    const change = { change: "setTotp", name: "ann", step: 1, recovery: [], at: 0, keep: null } as const;
    await apply(store, { ...change, key: new Uint8Array(20) });
    await store.close();
    expect((await here.run("users", "get", "ann")).stdout).toMatch(/second factors +totp\n/);
    expect(await here.json("users", "reset", "ann")).toMatchObject({ secondFactors: [], result: "updated" });
    expect((await here.run("users", "reset", "ann")).stdout).toBe(
      "unchanged user ann: no second factor, no session\n",
    );
    expect(await here.run("users", "reset", "nobody")).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("users link", () => {
  test("creates the first user, an admin, and prints the link alone", async () => {
    const data = join(tempDirectory(), "new");
    const { code, stdout, stderr } = await onData(data).run("users", "link");
    expect(code).toBe(0);
    expect(stdout.trimEnd()).toMatch(PATH);
    expect(stderr).toMatch(
      /^created admin, the first user, who is an admin\nit signs admin in once, until \S+\nprefix it with the address of the server/,
    );
    const { user } = await useLink(data, stdout);
    expect(user).toMatchObject({ name: "admin", role: "admin" });
    expect(await reasonOf(useLink(data, stdout))).toBe("not_found link-unknown");
    using db = new Database(join(data, "formflag.db"), { readonly: true });
    expect(JSON.stringify(db.query("SELECT * FROM sign_in_links").all())).toBe("[]");
  });

  test("names the first user, and later needs a name where there are several admins", async () => {
    const here = onData(tempDirectory());
    const link = await here.json<Link>("users", "link", "ann");
    expect(link).toEqual({
      name: "ann",
      url: expect.stringMatching(PATH),
      expiresAt: expect.stringMatching(TIME),
      isFirst: true,
    });
    const left = Date.parse(link.expiresAt) - Date.now();
    expect(left > 800_000 && left <= 900_000).toBe(true);
    await here.run("users", "create", "ben", "--role", "admin");
    const unnamed = await here.run("users", "link");
    expect(unnamed).toMatchObject({ code: 2, stdout: "" });
    expect(unnamed.stderr).toContain("formflag users link <name>");
  });

  test.each([
    [{ FORMFLAG_DASHBOARD_URL: "https://flags.example.com/" }, "https://flags.example.com/dashboard/link/"],
    [
      { FORMFLAG_DASHBOARD_URL: "https://flags.example.com", FORMFLAG_BASE_PATH: "/ff" },
      "https://flags.example.com/ff/dashboard/link/",
    ],
    [
      { FORMFLAG_DASHBOARD_URL: "https://flags.example.com/ff", FORMFLAG_BASE_PATH: "/ff/" },
      "https://flags.example.com/ff/dashboard/link/",
    ],
    [{ FORMFLAG_BASE_PATH: "/ff" }, "/ff/dashboard/link/"],
    [{ FORMFLAG_PUBLIC_URL: "https://forms.example.com" }, "https://forms.example.com/dashboard/link/"],
    [
      { FORMFLAG_PUBLIC_URL: "https://forms.example.com", FORMFLAG_ADMIN_LISTEN: "127.0.0.1:8788" },
      "/dashboard/link/",
    ],
  ])("with %j begins with %s", async (env, start) => {
    const { stdout } = await formflag(["users", "link", "--data", tempDirectory()], { env });
    expect(stdout).toStartWith(start);
  });

  test.each(["flags.example.com", "ftp://flags.example.com", "https://u:p@flags.example.com"])(
    "refuses %s as the address of the dashboard, which other commands do not read",
    async (FORMFLAG_DASHBOARD_URL) => {
      const [data, env] = [emptyData(), { FORMFLAG_DASHBOARD_URL }];
      const { code, stderr } = await formflag(["users", "link", "--data", data], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining("FORMFLAG_DASHBOARD_URL")]);
      expect((await formflag(["projects", "list", "--data", data], { env })).code).toBe(0);
    },
  );

  test("at a terminal shows the whole link as a QR code too, where it fits", async () => {
    const args = ["users", "link", "--data", tempDirectory()];
    const env = { FORMFLAG_DASHBOARD_URL: "https://flags.example.com" };
    const wide = await atTerminal(args, env).ends();
    expect(wide.code).toBe(0);
    expect(wide.screen).toContain("https://flags.example.com/dashboard/link/");
    expect(wide.screen).toMatch(/█{41}/);
    for (const [more, given, cols] of [
      [[], env, 30],
      [["-q"], env, 100],
      [[], {}, 100],
    ] as const)
      expect((await atTerminal([...args, ...more], given, cols).ends()).screen).not.toContain("█");
  });

  test("from a server is a link to it", async () => {
    const server = await startServer(["--base-path", "/ff", "--log-level", "error"]);
    const token = await onData(server.data).run("tokens", "create", "laptop");
    const env = { FORMFLAG_SERVER: `${server.url}/ff`, FORMFLAG_TOKEN: token.stdout.trim() };
    const { code, stdout, stderr } = await formflag(["users", "link", "ann"], { env });
    expect(code).toBe(0);
    expect(stdout).toStartWith(`${server.url}/ff/dashboard/link/`);
    expect(stderr).toMatch(
      /^created ann, the first user, who is an admin\nit signs ann in once, until \S+\n$/,
    );
    const signedIn = await useLink(server.data, stdout);
    const list = await formflag(["sessions", "list", "--json"], { env });
    expect(JSON.parse(list.stdout)).toMatchObject([{ id: signedIn.session.id, user: "ann" }]);
  });
});

describe("sessions", () => {
  test("are listed, and ended by their id", async () => {
    const data = emptyData();
    const here = onData(data);
    const { url } = await here.json<Link>("users", "link");
    const { session } = await useLink(data, url);
    const { stdout } = await here.run("sessions", "list");
    expect(stdout).toMatch(/^ID +USER +SIGNED IN BY +LAST USED +SINCE +ADDRESS +BROWSER\n/);
    expect(stdout).toContain(`${session.id}  admin  link`);
    expect(await here.json<object[]>("sessions", "list", "--user", "admin")).toHaveLength(1);
    expect(await here.run("sessions", "list", "--user", "nobody")).toMatchObject({ code: 3, stdout: "" });
    const revoked = { id: session.id, result: "revoked" };
    expect(await here.json<object>("sessions", "revoke", session.id)).toEqual(revoked);
    const again = await here.run("sessions", "revoke", session.id);
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining("formflag sessions list")]);
    expect(await here.json<object[]>("sessions", "list")).toEqual([]);
  });

  test("and links do not come back with a backup, users do", async () => {
    const data = emptyData();
    const here = onData(data);
    const [used, unused] = [await here.json<Link>("users", "link"), await here.json<Link>("users", "link")];
    await useLink(data, used.url);
    const [archive, restored] = [join(tempDirectory(), "backup.tar"), join(tempDirectory(), "restored")];
    expect((await here.run("backup", "create", "-o", archive)).code).toBe(0);
    expect((await formflag(["backup", "restore", archive, "--data", restored])).code).toBe(0);
    const there = onData(restored);
    expect(await there.json<User[]>("users", "list")).toMatchObject([{ name: "admin" }]);
    expect(await there.json<object[]>("sessions", "list")).toEqual([]);
    expect(await reasonOf(useLink(restored, unused.url))).toBe("not_found link-unknown");
  });
});

describe("serve", () => {
  test.each([
    [["--auth-header", "Remote-User"], /--auth-header needs --trusted-proxy/],
    [["--auth-header", "Remote-User", "--trusted-proxy", "127.0.0.1"], /--auth-header needs --dashboard-url/],
    [["--auth-header", "Remote User", "--trusted-proxy", "127.0.0.1"], /is not the name of a header/],
    [["--auth-create", "viewer"], /--auth-create needs --auth-header/],
    [["--auth-create", "admin"], /Allowed choices are viewer/],
    [["--second-factor", "owner"], /Allowed choices are viewer/],
    [["--dashboard-url", "flags.example.com"], /is not a web address/],
    [["--dashboard-url", "https://flags.example.com/dashboard"], /has more than a host/],
    [["--dashboard-url", "https://flags.example.com/?a"], /has more than a host/],
  ])("with %j does not start, exit 2", async (args, message) => {
    const { code, stderr } = await formflag(["serve", "--data", tempDirectory(), ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test("takes the options of the dashboard from variables, and service install passes them on", async () => {
    const env = {
      FORMFLAG_NO_DASHBOARD: "1",
      FORMFLAG_AUTH_HEADER: "Remote-User",
      FORMFLAG_TRUSTED_PROXY: "127.0.0.1",
      FORMFLAG_DASHBOARD_URL: "https://flags.example.com",
    };
    const shown = JSON.parse((await formflag(["config", "show", "--json"], { env })).stdout) as object;
    expect(shown).toMatchObject({
      "no-dashboard": { value: true, source: "env" },
      "auth-header": { value: "Remote-User" },
    });
    const unit = (await formflag(["service", "install", "--print"], { env })).stdout;
    expect(unit).toMatch(/^ExecStart=.* --no-dashboard .*--auth-header Remote-User$/m);
    const off = await formflag(["config", "show", "--json"], { env: { FORMFLAG_NO_DASHBOARD: "no" } });
    expect(JSON.parse(off.stdout)).toMatchObject({ "no-dashboard": { value: false } });
  });
});
