import { describe, expect, test } from "bun:test";
import {
  REDIRECT,
  answer,
  callTool,
  mistakeOf,
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

  test.each([{ redirect_uri: "http://127.0.0.1:7777/other" }, { client_id: "client-other" }])(
    "with %p in the exchange gives no token",
    async (wrong) => {
      const client = await openClient(server);
      const code = (await answer(ann, client.request())).searchParams.get("code")!;
      expect(await client.exchange(code, wrong as never)).toMatchObject({
        status: 400,
        error: "invalid_grant",
      });
    },
  );
});

describe("a request for tokens", () => {
  const wrong = "https://other.example/mcp";

  test("for another resource says which one this server has, and spends no code and no refresh token", async () => {
    const client = await openClient(server);
    const target = { status: 400, error: "invalid_target" };
    const words = { error_description: expect.stringContaining(`${server.url}/mcp`) };
    const code = (await answer(ann, client.request())).searchParams.get("code")!;
    expect(await client.exchange(code, { resource: wrong })).toMatchObject({ ...target, ...words });
    const { refresh_token: token } = await client.exchange(code);
    expect(await client.refresh(token!, { resource: wrong })).toMatchObject({ ...target, ...words });
    expect(await client.refresh(token!, { resource: `${server.url}/mcp` })).toMatchObject({ status: 200 });
  });

  test.each(["a", "a".repeat(42), "a".repeat(129), `${"a".repeat(43)} `, `${"a".repeat(43)}é`])(
    "with %p, which is not a verifier, is malformed and spends no code",
    async (verifier) => {
      const client = await openClient(server);
      const code = (await answer(ann, client.request())).searchParams.get("code")!;
      const refused = await client.exchange(code, { code_verifier: verifier });
      expect(refused).toMatchObject({ status: 400, error: "invalid_request" });
      expect(refused.error_description).toContain("code_verifier");
      expect(await client.exchange(code)).toMatchObject({ status: 200 });
    },
  );
});

describe("a registration", () => {
  const register = (redirect: string) =>
    fetch(`${server.url}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ redirect_uris: [redirect] }),
    });

  test.each([
    "https://*.example/back",
    "https://*/back",
    "https://a.example;script-src/back",
    "https://a.example,b.example/back",
    "https://'self'/back",
    "https://a!b.example/back",
    "https://a..example/back",
    "http://*:7777/back",
    "ms-msdt:/id",
    "jar:https://evil.example/a",
    "steam://run/1",
    "market://details",
    "javascript:alert(1)",
    "com.:/back",
    ".com:/back",
    "vscodes://a.b/back",
  ])("names no redirect such as %s", async (redirect) => {
    const refused = await register(redirect);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ error: "invalid_redirect_uri" }),
    ]);
  });

  test.each([
    "https://app.example:8443/back?a=b",
    "https://xn--bcher-kva.example/back",
    "https://192.0.2.1/back",
    "https://[2001:db8::1]/back",
    "http://[::1]/back",
    "com.example.app:/oauth/back",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://vscode.microsoft-authentication",
    "vscode-insiders://a/back",
    "windsurf://a/back",
    "zed://a/back",
    "claude://a/back",
  ])("may name %s", async (redirect) => {
    expect((await register(redirect)).status).toBe(201);
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
    const page = await ann.ask(client.request(change));
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    const back = await mistakeOf(page);
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
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
    const { searchParams } = await mistakeOf(await ann.ask(client.request(change)));
    expect([searchParams.get("error"), searchParams.get("iss")]).toEqual([error, server.url]);
  });

  test.each([{ response_type: "zz" }, { code_challenge: null }, { resource: "https://other.example/mcp" }])(
    "of a stranger's client sends no person away by itself, as with %p: a page names who asks, and a link leads on",
    async (change) => {
      const client = await openClient(server, {
        redirect_uris: ["https://evil.example/landing"],
        client_name: "Evil",
      });
      const request = client.request({ redirect_uri: null, ...change });
      const user = { user: "ann", scope: "read", answer: "allow" };
      for (const page of [await ann.ask(request), await ann.send(request, user)]) {
        expect([page.status, page.headers.get("location"), page.headers.get("refresh")]).toEqual([
          400,
          null,
          null,
        ]);
        const text = await page.clone().text();
        expect(text).toContain('<bdi dir="auto">Evil</bdi>');
        expect(text).toContain('<bdi dir="auto">evil.example</bdi>');
        const { origin, pathname, searchParams } = await mistakeOf(page);
        expect([origin, pathname]).toEqual(["https://evil.example", "/landing"]);
        expect([...searchParams.keys()]).toEqual(["error", "error_description", "state", "iss"]);
      }
    },
  );

  test("says that the redirect is missing, where the client has several", async () => {
    const client = await openClient(server, {
      redirect_uris: [REDIRECT, "https://app.example/back"],
    });
    const page = await ann.ask(client.request({ redirect_uri: null }));
    expect([page.status, await page.text()]).toEqual([
      400,
      expect.stringContaining("parameter redirect_uri is missing"),
    ]);
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
      user: "victor",
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
      user: "ann",
      scope: "flags:write",
      answer: "allow",
    });
    expect(sent.status).toBe(400);
  });

  test.each([{ user: "victor" }, {}])(
    "that was shown to another user gives nothing of the present one, and is shown again, as with %p",
    async (shown) => {
      const client = await openClient(server);
      for (const choice of ["allow", "deny"]) {
        const fields = { ...shown, scope: "read", answer: choice } as Record<string, string>;
        const sent = await ann.send(client.request(), fields);
        expect([sent.status, sent.headers.get("location")]).toEqual([409, null]);
        const page = await sent.text();
        expect(page).toContain("You are signed in as ann now");
        expect(page).toContain('name="user" value="ann"');
      }
    },
  );

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
