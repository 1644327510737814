import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "bun:test";
import { openClient, signIn, startAssistants, tokensOf } from "../support/oauth.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

const server = await startAssistants();
const { token } = (await server.run("tokens", "create", "suite")) as { token: string };
const { access } = await tokensOf(await openClient(server), await signIn(server, "ann", "editor"));

/** Adds the token that the path names, since the suite cannot send headers, and passes on all others. */
const proxy = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const headers = new Headers(request.headers);
    const { pathname } = new URL(request.url);
    const isSignedIn = pathname === "/signed-in";
    headers.set("authorization", `Bearer ${isSignedIn ? access : token}`);
    // A token of an assistant is for one address.
    if (isSignedIn) headers.delete("host");
    const body = request.body === null ? undefined : await request.arrayBuffer();
    return fetch(`${server.url}/mcp`, { method: request.method, headers, body });
  },
});
afterAll(() => proxy.stop(true));

// The others call tools of an example server.
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];

test.each([
  ["dns-rebinding-protection", "a token", "/mcp"] as const,
  ...SCENARIOS.map((scenario) => [scenario, "a token", "/mcp"] as const),
  ...SCENARIOS.map((scenario) => [scenario, "an assistant that was signed in", "/signed-in"] as const),
])("the suite of the protocol passes %s with %s", async (scenario, _, path) => {
  const child = Bun.spawn(
    [process.execPath, PROGRAM, "server", "--url", `${proxy.url.origin}${path}`, "--scenario", scenario],
    { stdout: "pipe", stderr: "pipe" },
  );
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, output: stdout + stderr }).toEqual({
    code: 0,
    output: expect.stringMatching(/[1-9]\d* passed, 0 failed|Passed: ([1-9]\d*)\/\1,/),
  });
});
