import { chmodSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

describe("a data directory that others may write in", () => {
  test.each([0o777, 0o775, 0o1777])("is refused, exit 4, with what to type: mode %o", async (mode) => {
    const data = tempDirectory();
    await onData(data, runExecutable).json("projects", "create", "shop");
    chmodSync(data, mode);
    for (const args of [["serve"], ["projects", "list"]]) {
      const { code, stderr } = await runExecutable([...args, "--data", data]);
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(`chmod go-w ${data}`) });
    }
    chmodSync(data, 0o755);
    expect((await onData(data, runExecutable).run("projects", "list")).code).toBe(0);
  });

  test("is used where FORMFLAG_SHARED_DATA=1 says that it is meant", async () => {
    const data = tempDirectory();
    await onData(data, runExecutable).json("projects", "create", "shop");
    chmodSync(data, 0o777);
    const env = { FORMFLAG_SHARED_DATA: "1" };
    expect((await runExecutable(["projects", "list", "--data", data], { env })).code).toBe(0);
  });
});

test("options for the runtime in BUN_OPTIONS are refused before anything is done", async () => {
  const data = tempDirectory();
  const env = { BUN_OPTIONS: "--smol" };
  const { code, stdout, stderr } = await runExecutable(["projects", "list", "--data", data], { env });
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toContain("unset BUN_OPTIONS");
});

describe("the log of a server", () => {
  const ask = async (args: string[], path = "/healthz") => {
    const server = await startServer(args);
    await fetch(`${server.url}${path}`, { headers: { "x-request-id": "my-id" } });
    await server.stop();
    return server.stderr().replace(/^listening on .*\n/, "");
  };

  test("is lines for people with --log-format text", async () => {
    expect(await ask(["--log-format", "text"])).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3}  200  GET     \/healthz  [\d.]+ ms  my-id\nstopping on SIGTERM\n$/,
    );
  });

  test("names the client at the level debug", async () => {
    const [line = ""] = (await ask(["--log-level", "debug"])).split("\n");
    expect(JSON.parse(line)).toMatchObject({ route: "/healthz", id: "my-id", client: "127.0.0.1" });
  });

  test.each(["warn", "error"])("has no answered request at the level %s", async (level) => {
    expect(await ask(["--log-level", level])).toBe("");
  });

  test("ties what failed to the request that it failed for, at any level", async () => {
    const server = await startServer(["--log-level", "error"]);
    const { key } = await onData(server.data, runExecutable).json<{ key: string }>(
      "forms",
      "create",
      "f",
      "--uploads",
      "on",
    );
    chmodSync(server.data, 0o700);
    const file = new FormData();
    file.append("a", new Blob(["x"]), "a.txt");
    await Bun.$`rm -rf ${server.data}/uploads`.quiet();
    const headers = { "x-request-id": "failing-1" };
    const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      body: file,
      headers,
    });
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([503, "failing-1"]);
    await eventually("both lines", () => server.stderr().split("failing-1").length === 3);
    const [cause, request] = server.stderr().trim().split("\n").slice(1);
    expect(JSON.parse(cause!)).toMatchObject({ level: "error", id: "failing-1" });
    expect(JSON.parse(request!)).toMatchObject({ level: "error", status: 503, id: "failing-1" });
  });

  test("has levels and formats of its own: another is exit 2", async () => {
    for (const args of [
      ["--log-level", "loud"],
      ["--log-format", "xml"],
    ])
      expect((await runExecutable(["serve", ...args])).code).toBe(2);
  });
});

describe("serve under a base path", () => {
  test("answers there, and links stay under it", async () => {
    const { url, data } = await startServer(["--base-path", "/formflag/"]);
    const { key } = await onData(data, runExecutable).json<{ key: string }>("forms", "create", "contact");
    const answer = await fetch(`${url}/formflag/v1/s/${key}`, {
      method: "POST",
      body: new URLSearchParams({ a: "1" }),
      redirect: "manual",
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/formflag/v1/thanks"]);
    expect((await fetch(`${url}/formflag/v1/thanks`)).status).toBe(200);
    expect((await fetch(`${url}/v1/s/${key}`, { method: "POST" })).status).toBe(404);
    const token = (await onData(data, runExecutable).run("tokens", "create", "remote")).stdout.trim();
    const { code } = await runExecutable(["forms", "list", "--server", `${url}/formflag`], {
      env: { FORMFLAG_TOKEN: token },
    });
    expect(code).toBe(0);
  });

  test.each(["formflag", "/a b", "/a//b", "/ä"])("that is no path is exit 2: %s", async (path) => {
    expect((await runExecutable(["serve", "--base-path", path])).code).toBe(2);
  });
});

test("metrics have an address of their own where one is given, and stand beside the admin API otherwise", async () => {
  const apart = await startServer(["--metrics-listen", "127.0.0.1:0"], { addresses: 2 });
  expect((await fetch(`${apart.urls[0]}/metrics`)).status).toBe(404);
  expect(await (await fetch(`${apart.urls[1]}/metrics`)).text()).toContain("formflag_build_info");
  const admin = await startServer(["--admin-listen", "127.0.0.1:0"], { addresses: 2 });
  expect((await fetch(`${admin.urls[0]}/metrics`)).status).toBe(404);
  expect((await fetch(`${admin.urls[1]}/metrics`)).status).toBe(200);
});

test("metrics want a token where a proxy may stand in front, and where a request names another host", async () => {
  for (const option of [
    ["--public-url", "https://forms.example.com"],
    ["--trusted-proxy", "192.0.2.1"],
  ]) {
    const { url, data } = await startServer(option);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const { stdout } = await onData(data, runExecutable).run(
      "tokens",
      "create",
      "prometheus",
      "--scope",
      "read",
    );
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
  }
  const { url } = await startServer();
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  expect((await fetch(`${url}/metrics`, { headers: { host: "attacker.example" } })).status).toBe(401);
});

test("a client that a trusted proxy forwards as this machine is counted as any other", async () => {
  const { url } = await startServer(["--trusted-proxy", "127.0.0.1/32"]);
  const ask = async (forwarded?: string) => {
    const headers = {
      authorization: "Bearer ff_wrong",
      ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }),
    };
    return (await fetch(`${url}/api/admin/v1/projects`, { headers })).status;
  };
  for (let count = 0; count < 20; count += 1) expect(await ask("127.0.0.1")).toBe(401);
  expect([await ask("127.0.0.1"), await ask("203.0.113.1"), await ask()]).toEqual([429, 401, 401]);
});
