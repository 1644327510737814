import { afterAll, describe, expect, test } from "bun:test";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { environment, onData } from "../support/commands.ts";
import { EXECUTABLE, runExecutable, startServer } from "../support/executable.ts";
import { caller } from "../support/mcp.ts";
import { tempDirectory } from "../support/temp.ts";

const data = tempDirectory();
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await runExecutable([...args, "--data", data]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
};
await run("projects", "create", "shop");
await run("flags", "set", "sale", "-p", "shop", "-e", "production", "--payload", "[1]");
await run("environments", "lock", "production", "-p", "shop");
const server = await startServer(["--mcp"], { data });
const tokenOf = async (scope: string) =>
  (
    JSON.parse(await run("tokens", "create", scope.replace(":", "-"), "--scope", scope, "--json")) as {
      token: string;
    }
  ).token;
const tokens = { read: await tokenOf("read"), locked: await tokenOf("flags:locked") };

const INFO = { name: "test", version: "1" };
/** The official clients; the second speaks the version of 2026 where it is told to. */
const CLIENTS = {
  "of version 1": () => ({ client: new Client1(INFO), Stdio: Stdio1, Http: Http1 }),
  "of version 2": () => ({ client: new Client2(INFO), Stdio: Stdio2, Http: Http2 }),
  "of version 2 with the protocol of 2026": () => ({
    client: new Client2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    Stdio: Stdio2,
    Http: Http2,
  }),
};

/** Connects a client to the executable: by a process, on the data or the server, or over HTTP. */
async function connect(
  which: keyof typeof CLIENTS,
  way: "data" | "server" | "http",
  args: string[] = [],
  token = "",
  url = server.url,
) {
  const { client, Stdio, Http } = CLIENTS[which]();
  const where = way === "data" ? ["--data", data] : ["--server", url];
  const env = { ...environment({ FORMFLAG_TOKEN: token }) } as Record<string, string>;
  const transport =
    way === "http"
      ? new Http(new URL(`${url}/mcp`), {
          requestInit: { headers: { Authorization: `Bearer ${token}` } },
        })
      : new Stdio({ command: EXECUTABLE, args: ["mcp", ...where, ...args], env, stderr: "ignore" });
  // Each client takes transports of its own.
  await (client as Client2).connect(transport);
  afterAll(() => client.close());
  return { client: client as Client2, call: caller(client as Client2) };
}

const RAMP = { to: [1, 10, 50, 100], every: 86_400 };

const READING = [
  "overview",
  "flags_list",
  "flags_get",
  "flags_evaluate",
  "flags_stale",
  "flags_cleanup",
  "flags_history",
  "export",
  "forms_get",
  "submissions_list",
  "submissions_get",
  "deliveries_list",
  "changes_list",
  "changes_get",
];

describe.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])("the client %s", (which) => {
  test.each(["data", "server", "http"] as const)(
    "lists and calls the tools of a reader by %s",
    async (way) => {
      const { client, call } = await connect(which, way, [], tokens.read);
      expect(client.getInstructions()!.length).toBeLessThan(3000);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(READING);
      const { value } = await call("flags_list", { project: "shop", environment: "production" });
      expect(value.items).toMatchObject([{ slug: "sale", payload: [1] }]);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain("formflag://shop/production/flags");
      const read = await client.readResource({ uri: "formflag://shop/production/flags" });
      expect(JSON.parse((read.contents[0] as { text: string }).text)).toMatchObject({ flags: { sale: {} } });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["clean-up-flags", "review-inbox"]);
    },
  );

  test("changes a locked flag in two calls, once a person has confirmed it", async () => {
    for (const way of ["data", "server", "http"] as const) {
      const { call } = await connect(
        which,
        way,
        way === "data" ? ["--scope", "flags:locked"] : [],
        tokens.locked,
      );
      const { value: before } = await call("flags_get", {
        project: "shop",
        environment: "production",
        flag: "sale",
      });
      const change = {
        project: "shop",
        environment: "production",
        flag: "sale",
        patch: { enabled: !before.enabled },
        why: "the sale of Ünder",
      };
      const { value: planned } = await call("flags_set", change);
      expect(planned).toMatchObject({ applied: false, locked: ["production"] });
      const refused = await call("flags_set", { ...change, dryRun: false, plan: planned.plan });
      expect([refused.isError, refused.value.error]).toMatchObject([
        true,
        { code: "unconfirmed", confirm: "production", changes: planned.changes },
      ]);
      const done = await call("flags_set", {
        ...change,
        dryRun: false,
        plan: planned.plan,
        confirm: "production",
      });
      expect(done.value).toMatchObject({ applied: true });
      const { value: history } = await call("flags_history", { project: "shop", flag: "sale", limit: 1 });
      expect(history.items).toMatchObject([{ source: "mcp", why: "the sale of Ünder", after: change.patch }]);
    }
  });
});

test("formflag mcp answers what came before the end of its input, and exits 0", async () => {
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "overview", arguments: {} } },
  ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const { code, stdout, stderr } = await runExecutable(["mcp", "--data", data], { stdin: messages.join("") });
  expect(code).toBe(0);
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> });
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1]!.result["structuredContent"]).toMatchObject({
    scopes: ["read"],
    projects: expect.arrayContaining([expect.objectContaining({ slug: "shop" })]),
  });
  expect(stderr).toMatch(/^overview by \S+\n$/);
  expect(await runExecutable(["mcp", "--data", data], { stdin: "" })).toMatchObject({ code: 0, stdout: "" });
});

test("formflag mcp refuses a number that would be another one, and more than 200 levels, and goes on", async () => {
  const call = (id: number, value: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"flags_evaluate","arguments":{"contexts":${value}}}}\n`;
  const stdin = `${call(1, '[{"n":9007199254740993}]')}${call(2, `${"[".repeat(300)}${"]".repeat(300)}`)}{"jsonrpc":"2.0","id":3,"method":"ping"}\n`;
  const { code, stdout } = await runExecutable(["mcp", "--data", data], { stdin });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect([code, answers.map((answer) => ("error" in answer ? answer.error : "ok"))]).toEqual([
    0,
    [
      {
        code: -32602,
        message:
          "contexts.0.n: 9007199254740993 cannot be kept exactly: it would become 9007199254740992; write it as a text, in quotes",
      },
      { code: -32602, message: "a message has at most 200 levels" },
      "ok",
    ],
  ]);
});

test("formflag mcp says what is wrong with a line, goes on, and answers a last line without its end", async () => {
  const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
  const largest = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}`;
  const full = largest.replace('""', `"${"x".repeat(1024 * 1024 - largest.length)}"`);
  const lines = [
    "",
    "{",
    `[${ping(1)}]`,
    `{"x":"${"x".repeat(1024 * 1024)}"}`,
    full,
    `${ping(2)}\r`,
    ping(3),
  ];
  const stdin = Buffer.concat([Buffer.from('{"a":"Zoë"}\n', "latin1"), Buffer.from(lines.join("\n"))]);
  const { code, stdout } = await runExecutable(["mcp", "--data", data], { stdin });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number | null; error?: { code: number; message: string } });
  expect([code, answers.map(({ id, error }) => [id, error?.code, error?.message])]).toEqual([
    0,
    [
      [null, -32700, "a line is not UTF-8"],
      [null, -32700, "a line is not valid JSON"],
      [null, -32600, "a line is one message, not a list of them"],
      [null, -32600, "a message has at most 1 MB"],
      [1, undefined, undefined],
      [2, undefined, undefined],
      [3, undefined, undefined],
    ],
  ]);
});

test("formflag mcp refuses a scope that has no tool, any with --server, and a folder without data", async () => {
  const env = { FORMFLAG_TOKEN: tokens.read };
  const codeOf = async (...args: string[]) =>
    (await runExecutable(["mcp", ...args], { stdin: "", env })).code;
  expect(await codeOf("--data", data, "--scope", "flags:sync")).toBe(2);
  expect(await codeOf("--data", data, "--scope", "all")).toBe(2);
  expect(await codeOf("--server", server.url, "--scope", "read")).toBe(2);
  expect(await codeOf("--data", tempDirectory())).toBe(3);
});

test("the log of a server has a line for each call: the tool and the token, no argument", async () => {
  const logged = await startServer(["--mcp"]);
  const cli = onData(logged.data);
  const { token } = await cli.json<{ token: string }>("tokens", "create", "reader", "--scope", "read");
  const { call } = await connect("of version 2", "http", [], token, logged.url);
  await call("submissions_list", { search: "a-secret-word" });
  await logged.stop();
  expect(logged.stderr()).toContain("mcp: submissions_list by reader");
  expect(logged.stderr()).not.toContain("a-secret-word");
});

test("where approvals are needed, an assistant proposes in two calls, and gets the address of the page", async () => {
  await run("projects", "create", "careful");
  const place = { project: "careful", environment: "production" };
  await run("environments", "set", "production", "-p", "careful", "--approvals", "1");
  for (const way of ["data", "server", "http"] as const) {
    const scope = way === "data" ? ["--scope", "flags:write"] : [];
    const { call } = await connect("of version 2", way, scope, tokens.locked);
    const asked = { ...place, flag: `by-${way}`, patch: { enabled: true }, why: "ready", ramp: RAMP };
    const { value: dry } = await call("flags_set", asked);
    expect(dry).toMatchObject({ applied: false, approvals: 1 });
    const sent = { ...asked, dryRun: false, plan: dry.plan };
    const { value } = await call("flags_set", sent);
    const { id, ...change } = value["change"] as { id: string };
    expect(change).toMatchObject({
      needed: 1,
      differences: [{ kind: "flag" }, { kind: "flag" }, { kind: "ramp" }],
      url: `${server.url}/dashboard/projects/careful/changes/${id}`,
    });
    expect((await call("flags_set", sent)).value["change"]).toMatchObject({ id });
    expect((await call("changes_get", { project: "careful", change: id })).isError).toBe(false);
  }
  const changes = JSON.parse(await run("changes", "list", "-p", "careful", "--json")) as unknown[];
  expect(changes).toHaveLength(3);
});
