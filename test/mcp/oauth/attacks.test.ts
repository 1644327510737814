import { describe, expect, test } from "bun:test";
import {
  REDIRECT,
  answer,
  callTool,
  openBrowser,
  openClient,
  signIn,
  startAssistants,
  tokensOf,
} from "../../support/oauth.ts";

const server = await startAssistants();
const ann = await signIn(server, "ann", "editor");
const victor = await signIn(server, "victor", "viewer");
const grantsOf = async (user: string) =>
  (await server.run("grants", "list", "--user", user)) as { id: string; scopes: string[] }[];

describe("a code", () => {
  test("of another client, or in another client's exchange, gives no token and is spent", async () => {
    const [client, evil] = [await openClient(server), await openClient(server)];
    const code = (await answer(ann, client.request())).searchParams.get("code")!;
    const injected = await evil.exchange(code);
    expect(injected).toMatchObject({ status: 400, error: "invalid_grant" });
    expect(injected.access_token).toBeUndefined();
    expect(await client.exchange(code)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("is spent by a wrong verifier, so that none can be guessed", async () => {
    const client = await openClient(server);
    const code = (await answer(ann, client.request())).searchParams.get("code")!;
    const guess = await client.exchange(code, { code_verifier: "a".repeat(43) });
    expect(guess).toMatchObject({ status: 400, error: "invalid_grant" });
    expect(await client.exchange(code)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("that comes twice ends the tokens that it has given", async () => {
    const client = await openClient(server);
    const { access, refresh, code } = await tokensOf(client, ann);
    expect((await callTool(server, access)).status).toBe(200);
    expect(await client.exchange(code)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await callTool(server, access)).status).toBe(401);
    expect(await client.refresh(refresh)).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test.each([
    { redirect_uri: "http://127.0.0.1:7777/other" },
    { resource: "https://other.example/mcp" },
    { client_id: "client-other" },
  ])("with %p in the exchange gives no token", async (wrong) => {
    const client = await openClient(server);
    const code = (await answer(ann, client.request())).searchParams.get("code")!;
    expect(await client.exchange(code, wrong as never)).toMatchObject({
      status: 400,
      error: "invalid_grant",
    });
  });
});

describe("a request for authorization", () => {
  test.each([
    { code_challenge: null },
    { code_challenge_method: null },
    { code_challenge_method: "plain" },
    { code_challenge: "short" },
  ])("without PKCE by S256, as with %p, gets an error with the issuer, and no code", async (change) => {
    const client = await openClient(server);
    const { status, headers } = await ann.ask(client.request(change));
    const back = new URL(headers.get("location")!);
    expect([status, `${back.origin}${back.pathname}`]).toEqual([303, REDIRECT]);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: "invalid_request",
      error_description: expect.stringContaining("S256"),
      state: "a state",
      iss: server.url,
    });
  });

  test.each([
    ["unsupported_response_type", { response_type: "token" }],
    ["invalid_target", { resource: "https://other.example/mcp" }],
    ["invalid_target", { resource: `${server.url}/mcp/` }],
    ["invalid_request", { response_type: null }],
  ])("gets %s for %p", async (error, change) => {
    const client = await openClient(server);
    const { headers } = await ann.ask(client.request(change));
    const { searchParams } = new URL(headers.get("location")!);
    expect([searchParams.get("error"), searchParams.get("iss")]).toEqual([error, server.url]);
  });

  test("gets the issuer with a refusal too, by which a client notices a mix-up", async () => {
    const client = await openClient(server);
    const { searchParams } = await answer(ann, client.request(), { answer: "deny" });
    expect(Object.fromEntries(searchParams)).toEqual({
      error: "access_denied",
      state: "a state",
      iss: server.url,
    });
  });

  test.each([
    "http://127.0.0.1:7777/callback/",
    "http://127.0.0.1:7777/callback/../other",
    "http://127.0.0.1:7777/Callback",
    "http://127.0.0.1:7777/callback?a=b",
    "http://127.0.0.1:7777/callback#a",
    "http://localhost:7777/callback",
    "http://[::1]:7777/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1@evil.example/callback",
    "http://evil.example/callback",
    "https://127.0.0.1:7777/callback",
    "//127.0.0.1:7777/callback",
    "javascript:alert(1)",
    "",
  ])("is an error of this page where the redirect is %s", async (redirect) => {
    const client = await openClient(server);
    const { status, headers } = await ann.ask(client.request({ redirect_uri: redirect }));
    expect([status, headers.get("location")]).toEqual([400, null]);
  });

  test("may name another port of this machine, which only then may differ", async () => {
    const client = await openClient(server);
    for (const port of ["1234", "65535"]) {
      const back = await answer(ann, client.request({ redirect_uri: `http://127.0.0.1:${port}/callback` }));
      expect(back.port).toBe(port);
    }
    const hosted = await openClient(server, { redirect_uris: ["https://app.example:8443/back"] });
    for (const redirect of [
      "https://app.example/back",
      "https://app.example:9443/back",
      "http://app.example:8443/back",
    ])
      expect((await ann.ask(hosted.request({ redirect_uri: redirect }))).status).toBe(400);
    expect((await ann.ask(hosted.request({ redirect_uri: null }))).status).toBe(200);
  });

  test("of a stranger leads to the sign-in page, whatever is wrong with it, and returns after it", async () => {
    const client = await openClient(server);
    const stranger = openBrowser(server.url);
    for (const change of [
      {},
      { response_type: "token" },
      { redirect_uri: "https://evil.example" },
      { client_id: "x" },
    ]) {
      const { status, headers } = await stranger.ask(client.request(change));
      const to = new URL(headers.get("location")!, server.url);
      expect([status, to.origin, to.pathname]).toEqual([303, server.url, "/dashboard/sign-in"]);
      expect(to.searchParams.get("next")).toStartWith("/authorize?");
    }
  });

  test("twice with a parameter is refused", async () => {
    const client = await openClient(server);
    const twice = `${client.request()}&redirect_uri=${encodeURIComponent("https://evil.example/")}`;
    expect((await ann.ask(twice)).status).toBe(400);
  });
});

describe("the page of consent", () => {
  test("is in no frame, and its form leads to the client and the dashboard alone", async () => {
    const client = await openClient(server);
    const { headers } = await ann.ask(client.request());
    const policy = headers.get("content-security-policy")!;
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain(`form-action 'self' ${new URL(REDIRECT).origin};`);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "", "Sec-Fetch-Site": "cross-site" },
  ])("takes no form of another page, as with %p", async (headers) => {
    const client = await openClient(server);
    const before = (await grantsOf("ann")).length;
    const sent = await ann.send(client.request(), { scope: "read", answer: "allow" }, headers);
    expect([sent.status, sent.headers.get("location")]).toEqual([403, null]);
    expect(await grantsOf("ann")).toHaveLength(before);
  });

  test("takes no form of a browser that is not signed in", async () => {
    const client = await openClient(server);
    const sent = await openBrowser(server.url).send(client.request(), { scope: "read", answer: "allow" });
    expect([sent.status, sent.headers.get("location")]).toEqual([401, null]);
  });

  test.each([
    ["admin", { scope: "admin" }],
    ["what the user does not hold", { scope: "flags:write" }],
    ["what no assistant may have", { scope: "flags:evaluate" }],
    ["what is allowed and what is not", { scope: "read flags:write" }],
    ["nothing", {}],
    ["forms in an environment", { scope: "forms:read", project: "shop", environment: "develop" }],
    ["an environment of no project", { scope: "read", environment: "develop" }],
    ["a project that does not exist", { scope: "read", project: "other" }],
    ["an environment that does not exist", { scope: "read", project: "shop", environment: "other" }],
  ])("gives no viewer's assistant %s", async (_, fields) => {
    const client = await openClient(server);
    const sent = await victor.send(client.request(), {
      answer: "allow",
      ...(fields as Record<string, string>),
    });
    expect([sent.status, sent.headers.get("location")]).toEqual([400, null]);
  });

  test("offers what the client asks for, and no more can be given", async () => {
    const client = await openClient(server);
    const page = await (await ann.ask(client.request({ scope: "flags:read openid" }))).text();
    expect([...page.matchAll(/name="scope"[^>]*value="([^"]+)"/g)].map(([, scope]) => scope)).toEqual([
      "flags:read",
    ]);
    const sent = await ann.send(client.request({ scope: "flags:read" }), {
      scope: "flags:write",
      answer: "allow",
    });
    expect(sent.status).toBe(400);
  });

  test("escapes what a client says of itself, and says who sends it back where", async () => {
    const client = await openClient(server, {
      redirect_uris: ["https://app.example/back"],
      client_name: "<b>\u202eClaude</b>",
    });
    const page = await (await ann.ask(client.request({ redirect_uri: null }))).text();
    expect(page).not.toContain("<b>");
    expect(page).toContain("&lt;b&gt; Claude&lt;/b&gt;");
    expect(page).toContain("app.example");
  });
});
