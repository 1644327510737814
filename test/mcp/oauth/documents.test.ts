import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { GRANT_LIMITS } from "../../../src/access/limits.ts";
import { MAX_CLIENT_DOCUMENTS, MAX_CLIENT_FETCHES } from "../../../src/http/limits.ts";
import {
  REDIRECT,
  answer,
  callTool,
  clientOf,
  connect,
  createProvider,
  signIn,
  startAssistants,
} from "../../support/oauth.ts";
import { auth } from "@modelcontextprotocol/client";

const TLS = join(import.meta.dir, "../../support/tls");
const CERT = join(TLS, "one.cert.pem");

/** The document of a client, by its path, on a host of this machine. */
const documents: Record<string, (url: string) => Response | Promise<Response>> = {
  "/client.json": (url) => Response.json(metadata(url)),
  "/moved.json": () => new Response(null, { status: 302, headers: { Location: "/client.json" } }),
  "/missing.json": () => new Response("nothing", { status: 404 }),
  "/broken.json": () => new Response("{", { headers: JSON_TYPE }),
  "/list.json": () => Response.json([]),
  "/other.json": (url) => Response.json(metadata(url.replace("other", "client"))),
  "/secret.json": (url) =>
    Response.json({ ...metadata(url), token_endpoint_auth_method: "client_secret_basic" }),
  "/http.json": (url) => Response.json({ ...metadata(url), redirect_uris: ["http://app.example/back"] }),
  "/none.json": (url) => Response.json({ ...metadata(url), redirect_uris: [] }),
  "/large.json": (url) => Response.json({ ...metadata(url), more: "a".repeat(GRANT_LIMITS.document) }),
  "/slow.json": () => new Promise<Response>(() => {}),
  "/text.json": (url) =>
    new Response(JSON.stringify(metadata(url)), { headers: { "Content-Type": "text/html" } }),
  "/untyped.json": (url) => new Response(new TextEncoder().encode(JSON.stringify(metadata(url)))),
  "/client.ld": (url) =>
    new Response(JSON.stringify(metadata(url)), {
      headers: { "Content-Type": "application/ld+json; charset=utf-8" },
    }),
  "/stalled.json": (url) => begun(url, () => new Promise(() => {})),
  "/endless.json": (url) =>
    begun(url, async () => {
      await Bun.sleep(200);
      return " ";
    }),
  "/flood.json": (url) => begun(url, async () => " ".repeat(4096)),
};
const JSON_TYPE = { "Content-Type": "application/json" };
/** An answer whose body begins with a document that is whole, and goes on with what `more` returns. */
const begun = (url: string, more: () => Promise<string>) => {
  async function* body() {
    yield JSON.stringify(metadata(url));
    for (;;) yield await more();
  }
  return new Response(body(), { headers: JSON_TYPE });
};
const metadata = (url: string) => ({ client_id: url, client_name: "Claude", redirect_uris: [REDIRECT] });
const asked: string[] = [];
const host: { port?: number | undefined; stop: (now: boolean) => unknown } = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { cert: readFileSync(CERT), key: readFileSync(join(TLS, "one.key.pem")) },
  fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    return documents[pathname.startsWith("/client-") ? "/client.json" : pathname]!(request.url);
  },
});
afterAll(() => host.stop(true));
const idOf = (path: string) => `https://127.0.0.1:${host.port}${path}`;

/** A longer id than any client has. */
const LONG = `https://127.0.0.1:${host.port}/${"a".repeat(GRANT_LIMITS.clientId)}`;

const env = { NODE_EXTRA_CA_CERTS: CERT };
const server = await startAssistants(["--target-network", "127.0.0.1"], env);
const ann = await signIn(server, "ann", "editor");
const rita = await signIn(server, "rita", "viewer");

test("the official client signs a person in by the address of its document, without registering", async () => {
  const { kept, provider } = createProvider({ clientMetadataUrl: idOf("/client.json") });
  await connect(server, provider).catch(() => {});
  expect(kept.client?.client_id).toBe(idOf("/client.json"));
  const back = await answer(ann, kept.request!);
  const code = back.searchParams.get("code")!;
  await auth(provider, { serverUrl: `${server.url}/mcp`, iss: server.url, authorizationCode: code });
  expect((await callTool(server, kept.tokens!.access_token)).status).toBe(200);
});

test("a document may be of another type of JSON, and the page shows its whole address", async () => {
  const page = await ann.ask(clientOf(server, idOf("/client.ld")).request());
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`>${idOf("/client.ld")}<`)]);
});

test("the page has the same words for whatever is wrong in the network", async () => {
  const closed = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") });
  const port = closed.port;
  await closed.stop(true);
  const told = async (id: string) => {
    const text = await (await ann.ask(clientOf(server, id).request())).text();
    return /the document of the client cannot be read[^<]*/i.exec(text)?.[0];
  };
  const words = await told(idOf("/missing.json"));
  expect(words).toContain("cannot be read");
  for (const id of [
    `https://127.0.0.1:${port}/client.json`,
    `https://127.0.0.1:${new URL(server.url).port}/client.json`,
    "https://10.0.0.1/client.json",
    "https://name.invalid/client.json",
    idOf("/moved.json"),
    idOf("/text.json"),
    idOf("/large.json"),
  ])
    expect([id, await told(id)]).toEqual([id, words]);
});

test("a user gets the documents of so many clients in a minute, and those that are kept", async () => {
  const { count } = MAX_CLIENT_DOCUMENTS;
  const olga = await signIn(server, "olga", "editor");
  const ask = async (at: number) =>
    (await olga.ask(clientOf(server, idOf(`/client-${at}`)).request())).status;
  const statuses: number[] = [];
  for (let at = 0; at <= count; at += 1) statuses.push(await ask(at));
  expect(statuses).toEqual([...Array<number>(count).fill(200), 429]);
  expect(await ask(0)).toBe(200);
  expect((await ann.ask(clientOf(server, idOf("/client-other")).request())).status).toBe(200);
});

test(
  "so many documents are fetched at a time, and more wait for a later try",
  async () => {
    const peter = await signIn(server, "peter", "editor");
    const before = asked.length;
    const ids = Array.from({ length: MAX_CLIENT_FETCHES + 3 }, (_, at) => idOf(`/slow.json?${at}`));
    const all = await Promise.all(ids.map((id) => peter.ask(clientOf(server, id).request())));
    const statuses = all.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(MAX_CLIENT_FETCHES).fill(400), 429, 429, 429]);
    expect(asked.slice(before)).toHaveLength(MAX_CLIENT_FETCHES);
  },
  GRANT_LIMITS.documentMs + 10_000,
);

describe("a client", () => {
  test.each([
    ["whose document moved", "/moved.json"],
    ["without a document", "/missing.json"],
    ["whose document is broken", "/broken.json"],
    ["whose document is a list", "/list.json"],
    ["whose document is of another one", "/other.json"],
    ["with a secret", "/secret.json"],
    ["that is sent back without encryption", "/http.json"],
    ["that is sent back nowhere", "/none.json"],
    ["with a large document", "/large.json"],
    ["whose server does not answer", "/slow.json"],
    ["whose document is a page", "/text.json"],
    ["whose document has no type", "/untyped.json"],
    ["whose document stops before its end", "/stalled.json"],
    ["whose document goes on and on", "/endless.json"],
    ["whose document never ends", "/flood.json"],
  ])(
    "%s is refused on this page",
    async (_, path) => {
      const before = asked.length;
      const { status, headers } = await rita.ask(clientOf(server, idOf(path)).request());
      expect([status, headers.get("location")]).toEqual([400, null]);
      expect(asked.slice(before)).toEqual([path]);
    },
    GRANT_LIMITS.documentMs + 10_000,
  );

  test.each([
    `http://127.0.0.1:${host.port}/client.json`,
    `https://127.0.0.1:${host.port}`,
    `https://127.0.0.1:${host.port}/`,
    `https://127.0.0.1:${host.port}/a/../client.json`,
    `https://127.0.0.1:${host.port}/client.json#a`,
    `https://ann@127.0.0.1:${host.port}/client.json`,
    `HTTPS://127.0.0.1:${host.port}/client.json`,
    `https://127.1:${host.port}/client.json`,
    LONG,
    "client-a.b",
    "claude",
  ])("by the id %s is refused without a request", async (id) => {
    const before = asked.length;
    const { status, headers } = await ann.ask(clientOf(server, id).request());
    expect([status, headers.get("location")]).toEqual([400, null]);
    expect(asked.slice(before)).toEqual([]);
  });
});

test("no document is read at a private address that the operator has not permitted, nor for a stranger", async () => {
  const strict = await startAssistants([], env);
  const olga = await signIn(strict, "olga", "editor");
  for (const id of [
    idOf("/client.json"),
    `https://localhost:${host.port}/client.json`,
    `https://[::1]:${host.port}/client.json`,
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/client.json",
  ]) {
    const before = asked.length;
    const { status, headers } = await olga.ask(clientOf(strict, id).request());
    expect([id, status, headers.get("location")]).toEqual([id, 400, null]);
    expect(asked.slice(before)).toEqual([]);
  }
  const before = asked.length;
  const stranger = await fetch(clientOf(server, idOf("/missing.json")).request(), { redirect: "manual" });
  expect([stranger.status, asked.length]).toEqual([303, before]);
});
