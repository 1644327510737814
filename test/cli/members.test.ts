import { describe, expect, test } from "bun:test";
import { openApp } from "../../cli/data/open.ts";
import { newSession } from "../../src/access/sign-in.ts";
import { NO_BROWSER } from "../../src/access/session.ts";
import { formflag, onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

type Member = { user: string; role: string; environments: string[] | null; source: string };
type Invitation = { id: string; role: string; url: string; expiresAt: string };

const server = await startServer();
const local = onData(server.data);
for (const args of [
  ["projects", "create", "shop", "--environments", "develop,live"],
  ["projects", "create", "other", "--environments", "live"],
  ["users", "create", "ada", "--role", "none"],
  ["users", "create", "ben", "--role", "none"],
  ["members", "set", "ada", "-p", "shop", "--role", "admin"],
])
  await local.run(...args);

/** Commands on the server with a secret, and with `json` what they print as JSON. */
function over(secret: string) {
  const run = (...args: string[]) =>
    formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: secret } });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run(...args, "--json");
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    return JSON.parse(stdout) as T;
  };
  return { run, json };
}

/** The secret of a login of a user, as `formflag login` gets it. */
async function logIn(user: string): Promise<string> {
  const app = await openApp({ data: server.data, shared: null, writing: "inline" });
  const { secret, stored } = newSession(app, user, "cli", NO_BROWSER, app.now() + 3_600_000);
  await app.store.sessions.insert(stored, null);
  await app[Symbol.asyncDispose]();
  return secret;
}

const { token } = await local.json<{ token: string }>("tokens", "create", "deputy", "-p", "shop");
const ada = over(await logIn("ada"));
const deputy = over(token);

/** Accepts an invitation in a browser that nobody is signed in with. */
async function accept(url: string, name: string): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    body: new URLSearchParams({ name, password: "correct horse battery" }),
    headers: { Origin: server.url },
    redirect: "manual",
  });
  return answer.status;
}

describe.each([
  ["on the data directory", local],
  ["of an admin of the project who is logged in to the server", ada],
  ["of a token of the project on the server", deputy],
] as const)("commands %s", (way, commands) => {
  const run = (...args: string[]) => commands.run(...args);
  const json = <T>(...args: string[]) => commands.json<T>(...args);
  const isLocal = way === "on the data directory";
  const name = `new-${isLocal ? "here" : way.includes("token") ? "token" : "login"}`;

  test("invite somebody, who is a member from then on, and changes and goes", async () => {
    const invited = await json<Invitation>(
      "members",
      "invite",
      "-p",
      "shop",
      "--role",
      "viewer",
      "--expires",
      "30d",
    );
    const url = invited.url.startsWith("/") ? server.url + invited.url : invited.url;
    expect(url).toMatch(/^http:\/\/\S+\/dashboard\/invitation\/[\w-]{43}$/);
    const listed = await json<Invitation[]>("members", "invitations", "-p", "shop");
    expect(listed.map(({ id }) => id)).toContain(invited.id);
    expect(JSON.stringify(listed)).not.toContain(url.split("/").at(-1)!);
    expect(await accept(url, name)).toBe(303);
    expect(await accept(url, `${name}-2`)).not.toBe(303);

    const members = async () =>
      (await json<Member[]>("members", "list", "-p", "shop")).find(({ user }) => user === name);
    expect(await members()).toEqual({ user: name, role: "viewer", environments: null, source: "manual" });
    const set = ["members", "set", name, "-p", "shop", "--role", "editor", "-e", "develop"];
    expect((await run(...set)).stdout).toBe(`updated member ${name} of project shop: editor (develop)\n`);
    expect(await members()).toMatchObject({ role: "editor", environments: ["develop"] });
    expect((await run("members", "remove", name, "-p", "shop")).stdout).toBe(
      `removed member ${name} of project shop\n`,
    );
    expect(await members()).toBeUndefined();
    expect((await run("members", "remove", name, "-p", "shop")).code).toBe(3);
  });

  test("end an invitation", async () => {
    const { stdout } = await run("members", "invite", "-p", "shop", "--role", "inbox");
    const [{ id } = { id: "" }] = await json<Invitation[]>("members", "invitations", "-p", "shop");
    expect((await run("members", "uninvite", id, "-p", "shop")).stdout).toBe(`revoked invitation ${id}\n`);
    expect((await run("members", "uninvite", id, "-p", "shop")).code).toBe(3);
    const url = stdout.trim();
    expect(await accept(url.startsWith("/") ? server.url + url : url, `${name}-late`)).toBe(404);
    expect((await run("members", "invite", "-p", "shop", "--role", "inbox", "--expires", "91d")).code).toBe(
      2,
    );
    expect((await run("members", "invite", "-p", "shop", "--role", "owner")).code).toBe(2);
  });

  test("create tokens of the project, whose names are free elsewhere, list and revoke them", async () => {
    const created = ["tokens", "create", name, "-p", "shop", "--scope", "flags:write"];
    const { token } = await json<{ token: string }>(...created);
    expect((await run(...created)).code).toBe(5);
    await local.run("tokens", "create", name, "-p", "other");
    const mine = over(token);
    expect((await mine.run("flags", "set", name, "-p", "shop", "-e", "live", "--on")).code).toBe(0);
    expect((await mine.run("flags", "list", "-p", "other", "-e", "live")).code).toBe(4);
    const tokens = await json<{ name: string; project: string }[]>("tokens", "list", "-p", "shop");
    expect(tokens.filter((each) => each.name === name)).toMatchObject([{ name, project: "shop" }]);
    expect((await run("tokens", "revoke", name, "-p", "shop")).code).toBe(0);
    expect((await mine.run("flags", "list", "-p", "shop", "-e", "live")).code).toBe(4);
    expect(await local.json<unknown[]>("tokens", "list", "-p", "other")).toContainEqual(
      expect.objectContaining({ name }),
    );
  });
});

test("an admin of a project adds nobody by name, and learns nothing of another project", async () => {
  expect((await local.run("members", "set", "ben", "-p", "shop", "--role", "viewer")).code).toBe(0);
  expect((await ada.run("members", "remove", "ben", "-p", "shop")).code).toBe(0);
  const refused = await Promise.all(
    ["ben", "nobody"].map((user) => ada.run("members", "set", user, "-p", "shop", "--role", "viewer")),
  );
  expect(refused.map(({ code }) => code)).toEqual([3, 3]);
  expect(refused[0]!.stderr.replaceAll("ben", "nobody")).toBe(refused[1]!.stderr);
  for (const args of [
    ["members", "list"],
    ["members", "invite", "--role", "viewer"],
    ["tokens", "list"],
  ]) {
    const [there, nowhere] = await Promise.all(
      ["other", "none"].map((project) => ada.run(...args, "-p", project)),
    );
    expect({ ...there, args }).toEqual({
      ...nowhere!,
      args,
      stderr: nowhere!.stderr.replaceAll("none", "other"),
    });
    expect(there!.code).toBe(3);
    expect((await deputy.run(...args, "-p", "other")).code).toBe(4);
  }
  expect(await ada.json("whoami")).toMatchObject({
    name: "ada",
    type: "user",
    projects: [{ slug: "shop", role: "admin", environments: null }],
  });
  expect(await deputy.json("whoami")).toMatchObject({ name: "deputy", type: "token" });
});
