import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { environment, formflag, onData } from "../support/commands.ts";
import { EXECUTABLE, type RunningServer, startServer } from "../support/executable.ts";
import { linkFor } from "../support/pages/dashboard-browser.ts";
import { tempDirectory } from "../support/temp.ts";

/** Signs in to the dashboard of a server, and returns the way to send forms. */
async function signIn(server: RunningServer, user: string) {
  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    fetch(server.url + path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Origin: server.url, ...headers },
      redirect: "manual",
    });
  const entered = await send(await linkFor(server, user), {});
  const cookie = entered.headers.getSetCookie()[0]!.split(";")[0]!;
  return (path: string, fields: Record<string, string>) => send(path, fields, { cookie });
}

/** Runs `formflag login`, which somebody who is signed in answers. */
async function login(server: RunningServer, config: string, answer: string, ...args: string[]) {
  const send = await signIn(server, "ann");
  const child = Bun.spawn([EXECUTABLE, "login", "--server", server.url, ...args], {
    env: environment({ XDG_CONFIG_HOME: config }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let stderr = "";
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    stderr += chunk;
    const code = /^the code +(\S+)$/m.exec(stderr)?.[1];
    if (code === undefined) continue;
    expect(stderr).toContain(`open      ${server.url}/dashboard/device?code=${code}\n`);
    const page = await send("/dashboard/device", { code });
    expect(await page.text()).toContain("formflag");
    expect((await send("/dashboard/device", { code, answer })).status).toBe(200);
    break;
  }
  return { code: await child.exited, stdout: await new Response(child.stdout).text() };
}

test("login asks for an approval in the dashboard, keeps the login for its user alone, and logout ends it", async () => {
  const server = await startServer();
  const here = onData(server.data);
  await here.json("users", "create", "ann", "--role", "editor");
  const config = tempDirectory();
  const env = { XDG_CONFIG_HOME: config, HOME: tempDirectory() };
  const remote = (...args: string[]) => formflag([...args, "--server", `${server.url}/`], { env });
  const none = await remote("forms", "list");
  expect(none.code).toBe(4);
  expect(none.stderr).toContain(`hint: formflag login --server ${server.url} gets one`);

  expect((await login(server, config, "deny")).code).toBe(4);
  const file = join(config, "formflag/credentials.json");
  expect(existsSync(file)).toBe(false);
  const { code, stdout } = await login(server, config, "allow", "--json", "--for", "1h");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { server: server.url, user: "ann", expiresAt: expect.any(String) },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object)).toEqual([server.url]);

  expect((await remote("forms", "create", "contact")).code).toBe(0);
  expect((await remote("users", "list")).code).toBe(4);
  // Later commands need not name the server, and other data wins.
  const later = (...args: string[]) => formflag(args, { env });
  expect((await later("forms", "list")).stdout).toContain("contact");
  expect((await later("whoami")).stdout).toContain(`server    ${server.url}`);
  expect((await later("use")).stdout).toContain(server.url);
  expect((await later("forms", "list", "--data", tempDirectory())).code).toBe(3);
  expect(
    (await here.json<{ method: string }[]>("sessions", "list")).filter(({ method }) => method === "cli"),
  ).toHaveLength(1);
  // A token wins, and is sent as it is.
  expect(
    (await formflag(["forms", "list", "--server", server.url], { env: { ...env, FORMFLAG_TOKEN: "ff_x" } }))
      .code,
  ).toBe(4);

  const before = readFileSync(file);
  expect((await later("logout")).stdout).toBe(`logged out of ${server.url}\n`);
  expect((await later("forms", "list")).code).toBe(3);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({});
  expect((await remote("logout")).code).toBe(3);
  writeFileSync(file, before);
  const ended = await remote("forms", "list");
  expect([ended.code, ended.stderr.includes("log in again: formflag login")]).toEqual([4, true]);
  // A login that has ended on the server is forgotten all the same.
  expect((await remote("logout")).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
}, 60_000);

test("logout forgets a server that is away or has no login, so that commands act on this machine again", async () => {
  const config = tempDirectory();
  const env = { XDG_CONFIG_HOME: config };
  const server = "http://127.0.0.1:1";
  const kept = join(config, "formflag/config.json");
  const login = { token: "ff_x", user: "ann", expiresAt: "2027-01-01T00:00:00.000Z" };
  await Bun.write(kept, JSON.stringify({ server }));
  await Bun.write(join(config, "formflag/credentials.json"), JSON.stringify({ [server]: login }));
  const away = await formflag(["logout"], { env });
  expect(away).toMatchObject({ code: 0, stdout: `logged out of ${server}\n` });
  expect(away.stderr).toContain("valid there until 2027-01-01");
  expect(await Bun.file(kept).json()).toEqual({});
  await Bun.write(kept, JSON.stringify({ server }));
  expect(await formflag(["logout"], { env })).toMatchObject({ code: 0 });
  expect(await Bun.file(kept).json()).toEqual({});
  expect(await formflag(["logout"], { env })).toMatchObject({ code: 2 });
});

test("login needs a server, and a file of logins that is none is left alone", async () => {
  const config = tempDirectory();
  const env = { XDG_CONFIG_HOME: config };
  expect(await formflag(["login"], { env })).toMatchObject({ code: 2 });
  expect(await formflag(["logout"], { env })).toMatchObject({ code: 2 });
  expect((await formflag(["login", "--server", "http://flags.example.com"], { env })).code).toBe(2);
  expect((await formflag(["login", "--server", "127.0.0.1:1", "--for", "soon"], { env })).code).toBe(2);
  expect((await formflag(["login", "--server", "127.0.0.1:1"], { env })).code).toBe(6);
  await Bun.write(join(config, "formflag/credentials.json"), "[]");
  const refused = await formflag(["forms", "list", "--server", "127.0.0.1:1"], { env });
  expect([refused.code, refused.stderr.includes("is not one that formflag login has written")]).toEqual([
    2,
    true,
  ]);
});
