import { describe, expect, test } from "bun:test";
import { formflag } from "../../support/commands.ts";
import {
  type Browser,
  answer,
  callTool,
  openClient,
  signIn,
  startAssistants,
  tokensOf,
} from "../../support/oauth.ts";

const APP = "https://app.example";
const server = await startAssistants(["--mcp-registration", "--mcp-origin", `${APP},http://localhost:6274`]);
const ann = await signIn(server, "ann", "editor");

const DOCUMENTS = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
];
const ENDPOINTS = ["/oauth/token", "/oauth/register", "/oauth/revoke", "/mcp"];

/** The headers of an answer that let a page of an origin read it. */
async function corsOf(path: string, origin: string, { method = "GET" }: { method?: string } = {}) {
  const sent = { Origin: origin, ...(method === "OPTIONS" && { "Access-Control-Request-Method": "POST" }) };
  const { status, headers } = await fetch(`${server.url}${path}`, {
    method,
    headers: sent,
    redirect: "manual",
  });
  return {
    status,
    origin: headers.get("access-control-allow-origin"),
    credentials: headers.get("access-control-allow-credentials"),
    methods: headers.get("access-control-allow-methods"),
  };
}

const PREFLIGHT = { method: "OPTIONS" };

describe("A page of a website that --mcp-origin names", () => {
  test("finds the server, registers, and gets, uses and revokes tokens, without cookies", async () => {
    const readable = { origin: APP, credentials: null };
    for (const path of DOCUMENTS) {
      for (const method of ["GET", "HEAD"])
        expect(await corsOf(path, APP, { method })).toMatchObject({ status: 200, ...readable });
      expect(await corsOf(path, APP, PREFLIGHT)).toMatchObject({ status: 204, methods: "GET", ...readable });
    }
    for (const path of ENDPOINTS) {
      const asked = await corsOf(path, APP, PREFLIGHT);
      expect(asked).toMatchObject({ status: 204, methods: expect.stringContaining("POST"), ...readable });
      const refused = await corsOf(path, APP, { method: "POST" });
      expect([path, refused]).toEqual([path, expect.objectContaining(readable)]);
    }
    const client = await openClient(server);
    const tokens = await tokensOf(client, ann);
    const headers = { Origin: APP };
    const { status, headers: given } = await client.post(
      "revoke",
      { token: tokens.refresh, client_id: client.id },
      headers,
    );
    expect([status, given.get("access-control-allow-origin")]).toEqual([200, APP]);
    expect((await callTool(server, tokens.access)).status).toBe(401);
  });

  test("reads nothing of the dashboard or the admin API, and allows nothing there", async () => {
    const request = (await openClient(server)).request();
    const places = ["/dashboard", "/dashboard/sign-in", request.slice(server.url.length), "/api/admin/v1/me"];
    for (const place of places)
      for (const init of [{}, PREFLIGHT])
        expect([place, (await corsOf(place, APP, init)).origin]).toEqual([place, null]);
    const fromPage: Browser = { ...ann, send: (to, fields) => ann.send(to, fields, { Origin: APP }) };
    const refused = await answer(fromPage, request).catch((error: unknown) => error);
    expect(String(refused)).toStartWith("Error: 403");
  });
});

test("a page of any other website reads no answer, and calls nothing", async () => {
  for (const origin of [
    "https://evil.example",
    "https://app.example.evil.example",
    "http://localhost:6275",
    "null",
  ]) {
    for (const path of [...DOCUMENTS, ...ENDPOINTS])
      for (const init of [PREFLIGHT, { method: path.startsWith("/.well") ? "GET" : "POST" }])
        expect([origin, path, (await corsOf(path, origin, init)).origin]).toEqual([origin, path, null]);
    expect((await corsOf("/mcp", origin, { method: "POST" })).status).toBe(403);
  }
});

test.each([
  [["--mcp", "--mcp-origin", "app.example"], "--mcp-origin app.example is not an origin"],
  [["--mcp", "--mcp-origin", "https://app.example/"], "--mcp-origin https://app.example/ is not an origin"],
  [["--mcp", "--mcp-origin", "*"], "--mcp-origin * is not an origin"],
  [["--mcp-origin", APP], "--mcp-origin needs --mcp"],
])("serve refuses %p", async (args, message) => {
  expect(await formflag(["serve", "--listen", "127.0.0.1:0", ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});
