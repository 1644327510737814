import { describe, expect, test } from "bun:test";
import { openTools } from "../support/mcp.ts";
import { createProject } from "../../src/projects/projects.ts";
import { OPERATOR } from "../support/records/caller.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const local = openTools({ isLocal: true });
const open = openTools({ urls: ["https://flags.example.com"] });
await createProject(local.app, OPERATOR, { slug: "shop", environments: ["develop"] });
const proxied = openTools({ isLocal: true, urls: ["https://flags.example.com"] });
const tokens = new Map([
  [local, await local.tokenWith({ scopes: ["read"] })],
  [open, await open.tokenWith({ scopes: ["read"] })],
  [proxied, await proxied.tokenWith({ scopes: ["read"] })],
]);

type Changes = {
  method?: string;
  headers?: Record<string, string | null>;
  body?: string | null;
  path?: string;
};

/** A ping with what a test changes of it. */
async function send(changes: Changes = {}, to = local, peer?: string) {
  const { method = "POST", headers = {}, body = JSON.stringify(PING), path = "/mcp" } = changes;
  const all = {
    host: "localhost:8787",
    authorization: `Bearer ${tokens.get(to)}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const answer = await to.ask(path, { method, headers: sent, body: method === "GET" ? null : body }, peer);
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

describe("a request to /mcp", () => {
  test("is answered with a token", async () => {
    const { status, body } = await send();
    expect([status, body]).toEqual([200, expect.stringContaining('"result":{}')]);
  });

  test("is 401 without a token, with a wrong one, and with one in the address or a cookie", async () => {
    const token = tokens.get(local)!;
    for (const changes of [
      { headers: { authorization: null } },
      { headers: { authorization: "Bearer wrong" } },
      { headers: { authorization: `Basic ${btoa(`x:${token}`)}` } },
      { headers: { authorization: null }, path: `/mcp?token=${token}&access_token=${token}` },
      { headers: { authorization: null, cookie: `token=${token}` } },
    ]) {
      const { status, headers, body } = await send(changes);
      expect([status, headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="formflag"']);
      expect(body).not.toContain(token);
    }
    for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"])
      expect((await send({ method: "GET", path })).status).toBe(404);
  });

  test("is 403 for a token without the scope of a tool", async () => {
    for (const input of [
      { scopes: ["flags:evaluate" as const], project: "shop", environment: "develop" },
      { scopes: ["flags:sync" as const], project: "shop", environment: "develop" },
      { scopes: ["flags:refs" as const], project: "shop" },
    ]) {
      const authorization = `Bearer ${await local.tokenWith(input)}`;
      expect((await send({ headers: { authorization } })).status).toBe(403);
    }
  });

  test("is 403 from a page of another origin, before the token is read", async () => {
    for (const origin of [
      "null",
      "https://evil.example",
      "http://localhost:9999",
      "http://localhost.evil.example:8787",
      "file://",
    ])
      for (const authorization of [`Bearer ${tokens.get(local)}`, null]) {
        const { status, headers } = await send({ headers: { origin, authorization } });
        expect([origin, status, headers.get("access-control-allow-origin")]).toEqual([origin, 403, null]);
      }
    for (const origin of ["http://localhost:8787", "http://127.0.0.1:8787"])
      expect((await send({ headers: { origin } })).status).toBe(200);
  });

  test("is 403 on this machine for another name, as DNS rebinding has it", async () => {
    for (const host of [
      "evil.example",
      "evil.example:8787",
      "localhost.evil.example",
      "127.0.0.1.nip.io",
      "x@localhost",
    ])
      expect([host, (await send({ headers: { host } })).status]).toEqual([host, 403]);
    for (const host of ["localhost", "127.0.0.1:8787", "[::1]:8787"])
      expect([host, (await send({ headers: { host } })).status]).toEqual([host, 200]);
  });

  test("on this machine may have the name that the server is known by, as a proxy passes it on", async () => {
    for (const host of ["flags.example.com", "flags.example.com:8443", "localhost:8787"])
      expect([host, (await send({ headers: { host } }, proxied)).status]).toEqual([host, 200]);
    for (const host of ["evil.example", "flags.example.com.evil.example"])
      expect([host, (await send({ headers: { host } }, proxied)).status]).toEqual([host, 403]);
  });

  test("behind a proxy may have any name, and the origin of the public URL alone", async () => {
    const at = (headers: Record<string, string>) => send({ headers }, open);
    expect((await at({ host: "flags.example.com" })).status).toBe(200);
    expect((await at({ host: "flags.example.com", origin: "https://flags.example.com" })).status).toBe(200);
    expect((await at({ host: "evil.example", origin: "http://evil.example" })).status).toBe(403);
    expect((await at({ host: "10.1.2.3:8787", origin: "http://10.1.2.3:8787" })).status).toBe(200);
    expect((await at({ host: "10.1.2.3:8787", origin: "http://10.1.2.4:8787" })).status).toBe(403);
  });

  test("is 405 with any method but POST, and never allows another origin", async () => {
    for (const method of ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"]) {
      const { status, headers } = await send({ method });
      expect([method, status, headers.get("allow")]).toEqual([method, 405, "POST"]);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("is 413 for more than 1 MB, 415 for another content type, 400 for what asks nothing", async () => {
    const ofBytes = (bytes: number) => {
      const empty = JSON.stringify({ ...PING, params: { x: "" } });
      return JSON.stringify({ ...PING, params: { x: "x".repeat(bytes - empty.length) } });
    };
    expect((await send({ body: ofBytes(1024 * 1024) })).status).not.toBe(413);
    expect((await send({ body: ofBytes(1024 * 1024 + 1) })).status).toBe(413);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
      expect((await send({ headers: { "content-type": type } })).status).toBe(415);
    expect((await send({ headers: { "content-encoding": "gzip" } })).status).toBe(415);
    expect((await send({ body: "null" })).status).toBe(400);
  });

  test("that is no message is 400 with an error of JSON-RPC, and so is one that would listen", async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(200)}1${"}".repeat(200)}}`;
    const listen = { ...PING, id: "one", method: "subscriptions/listen", params: {} };
    for (const [body, id, code, message] of [
      ["", null, -32_700, "the body is not valid JSON"],
      ["{", null, -32_700, "the body is not valid JSON"],
      [JSON.stringify([PING, PING]), null, -32_600, "a body is one message, not a list of them"],
      [deep, null, -32_600, "a message has at most 200 levels"],
      [JSON.stringify(listen), "one", -32_601, "this server announces no changes"],
    ] as const) {
      const answer = await send({ body });
      expect([body, answer.status, answer.headers.get("content-type"), JSON.parse(answer.body)]).toEqual([
        body,
        400,
        expect.stringContaining("application/json"),
        { jsonrpc: "2.0", id, error: { code, message } },
      ]);
    }
  });

  test("may accept any type, or name none", async () => {
    for (const accept of [null, "*/*", "text/html, */*;q=0.8"])
      expect([accept, (await send({ headers: { accept } })).status]).toEqual([accept, 200]);
    for (const accept of ["text/html", "application/json"])
      expect([accept, (await send({ headers: { accept } })).status]).toEqual([accept, 406]);
  });

  test("is refused with the place of a number that would be another one", async () => {
    const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"flags_set","arguments":{"patch":{"payload":{"id":9007199254740993}}}}}`;
    const answer = await send({ body });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      {
        jsonrpc: "2.0",
        id: 7,
        error: {
          code: -32602,
          message:
            "patch.payload.id: 9007199254740993 cannot be kept exactly: it would become 9007199254740992; write it as a text, in quotes",
        },
      },
    ]);
  });

  test("is 429 after twenty wrong tokens in a minute, and a valid one still passes", async () => {
    const wrong = { headers: { authorization: "Bearer wrong" } };
    for (const peer of ["198.51.100.20", "127.0.0.1"]) {
      const statuses: number[] = [];
      for (let sent = 0; sent < 21; sent += 1) statuses.push((await send(wrong, local, peer)).status);
      expect(statuses.slice(-2)).toEqual([401, 429]);
      expect((await send({}, local, peer)).status).toBe(200);
    }
    // For the tests behind this one.
    local.app.clock.now += 60_001;
  });

  test("is 404 where tools are not served", async () => {
    const { openSite } = await import("../support/site.ts").then(({ openSites }) => openSites());
    const { ask } = openSite({});
    expect((await ask("/mcp", { method: "POST", body: "{}" })).status).toBe(404);
  });
});
