import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "bun:test";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

const server = await startServer(["--mcp"]);
const { token } = await onData(server.data).json<{ token: string }>("tokens", "create", "suite");

/** Adds the token, since the suite cannot send headers, and passes on all others. */
const proxy = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${token}`);
    const body = request.body === null ? undefined : await request.arrayBuffer();
    return fetch(`${server.url}${new URL(request.url).pathname}`, { method: request.method, headers, body });
  },
});
afterAll(() => proxy.stop(true));

// The others call tools of an example server.
test.each([
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
])("the suite of the protocol passes %s", async (scenario) => {
  const child = Bun.spawn(
    [process.execPath, PROGRAM, "server", "--url", `${proxy.url.origin}/mcp`, "--scenario", scenario],
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
