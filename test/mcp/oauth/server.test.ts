import { expect, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { MAX_OAUTH_REQUESTS, MAX_WRONG_TOKENS } from "../../../src/http/limits.ts";
import { onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import {
  REDIRECT,
  answer,
  callTool,
  clientOf,
  enter,
  openClient,
  signIn,
  startAssistants,
  tokensOf,
} from "../../support/oauth.ts";

const server = await startAssistants();
const ann = await signIn(server, "ann", "editor");
const WELL_KNOWN = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"];

test("an independent client finds the server, signs a person in, refreshes and revokes its tokens", async () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const site = new URL(server.url);
  const resource = new URL(`${server.url}/mcp`);
  const described = await oauth.resourceDiscoveryRequest(resource, insecure);
  const { authorization_servers: issuers } = await oauth.processResourceDiscoveryResponse(
    resource,
    described,
  );
  expect(issuers).toEqual([server.url]);
  const found = await oauth.discoveryRequest(site, { algorithm: "oauth2", ...insecure });
  const as = await oauth.processDiscoveryResponse(site, found);
  const registration = await oauth.dynamicClientRegistrationRequest(
    as,
    { client_name: "An independent client", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" },
    insecure,
  );
  const client = await oauth.processDynamicClientRegistrationResponse(registration);

  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const request = new URL(as.authorization_endpoint!);
  for (const [name, value] of Object.entries({
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    resource: resource.href,
  }))
    request.searchParams.set(name, value);
  const refused = await answer(ann, request, { answer: "deny" });
  expect(() => oauth.validateAuthResponse(as, client, refused, state)).toThrow(
    oauth.AuthorizationResponseError,
  );
  const parameters = oauth.validateAuthResponse(as, client, await answer(ann, request), state);
  const more = { ...insecure, additionalParameters: { resource: resource.href } };
  const exchanged = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    REDIRECT,
    verifier,
    more,
  );
  const first = await oauth.processAuthorizationCodeResponse(as, client, exchanged);
  expect((await callTool(server, first.access_token)).status).toBe(200);
  const refreshed = await oauth.refreshTokenGrantRequest(
    as,
    client,
    oauth.None(),
    first.refresh_token!,
    more,
  );
  const second = await oauth.processRefreshTokenResponse(as, client, refreshed);
  expect((await callTool(server, second.access_token)).status).toBe(200);
  const revoked = await oauth.revocationRequest(as, client, oauth.None(), second.refresh_token!, insecure);
  await oauth.processRevocationResponse(revoked);
  expect((await callTool(server, second.access_token)).status).toBe(401);
});

test("a call without a token, or with a wrong one, is told where to begin", async () => {
  const metadata = `resource_metadata="${server.url}${WELL_KNOWN[0]}"`;
  const { status, challenge } = await callTool(server, null);
  expect([status, challenge]).toEqual([401, `Bearer realm="formflag", ${metadata}`]);
  const wrong = await callTool(server, "ffa_wrong");
  expect([wrong.status, wrong.challenge]).toEqual([
    401,
    `Bearer realm="formflag", error="invalid_token", ${metadata}`,
  ]);
  const described = await (await fetch(`${server.url}${WELL_KNOWN[0]}`)).json();
  expect(described).toMatchObject({ resource: `${server.url}/mcp`, authorization_servers: [server.url] });
  expect(await (await fetch(`${server.url}${WELL_KNOWN[0]}/mcp`)).json()).toEqual(described);
});

test("the metadata say what the server takes, and registration only where it is on", async () => {
  const metadataOf = async (url: string) =>
    (await (await fetch(`${url}${WELL_KNOWN[1]}`)).json()) as Record<string, unknown>;
  const own = {
    issuer: server.url,
    authorization_endpoint: `${server.url}/dashboard/authorize`,
    token_endpoint: `${server.url}/oauth/token`,
    revocation_endpoint: `${server.url}/oauth/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
  expect(await metadataOf(server.url)).toMatchObject({
    ...own,
    registration_endpoint: `${server.url}/oauth/register`,
  });
  const open = await startAssistants();
  const { id } = await openClient(open);
  await open.stop();
  const strict = await startServer(["--mcp"], { data: open.data });
  expect(await metadataOf(strict.url)).not.toHaveProperty("registration_endpoint");
  expect((await fetch(`${strict.url}/oauth/register`, { method: "POST" })).status).toBe(404);
  const paul = await signIn({ ...open, ...strict }, "paul", "editor");
  const { status } = await paul.ask(clientOf(strict, id).request());
  expect(status).toBe(400);
});

test("nothing of this is there without --mcp, and no token of an assistant without the dashboard", async () => {
  for (const args of [[], ["--mcp", "--no-dashboard"]]) {
    const off = await startServer(args);
    for (const path of [...WELL_KNOWN, "/oauth/token", "/oauth/register", "/dashboard/authorize"]) {
      const method = path.startsWith("/oauth") ? "POST" : "GET";
      const { status } = await fetch(`${off.url}${path}`, { method, redirect: "manual" });
      expect([args, path, status]).toEqual([args, path, 404]);
    }
  }
});

test("behind an address of its own, everything begins with it, also for who calls another one", async () => {
  const site = "https://flags.example.com/tools";
  const behind = await startServer(["--mcp", "--public-url", site]);
  for (const path of [
    "/tools/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/tools",
  ])
    expect(await (await fetch(`${behind.url}${path}`)).json()).toMatchObject({
      issuer: site,
      token_endpoint: `${site}/oauth/token`,
      authorization_endpoint: `${site}/dashboard/authorize`,
    });
  const { challenge } = await callTool({ url: `${behind.url}/tools` }, null);
  expect(challenge).toContain(`resource_metadata="${site}${WELL_KNOWN[0]}"`);
});

test("a server of no address takes no name that could be anyone's", async () => {
  const { port } = new URL(server.url);
  const headers = { Host: `evil.example:${port}` };
  for (const path of WELL_KNOWN) expect((await fetch(`${server.url}${path}`, { headers })).status).toBe(404);
});

test("a grant and its tokens survive the end of the process, and are in the lists and in the audit log", async () => {
  const doomed = await startAssistants();
  const paul = await signIn(doomed, "paul", "editor");
  const client = await openClient(doomed);
  const place = { scope: "flags:read", project: "shop", environment: "develop", answer: "allow" };
  const { access, refresh } = await tokensOf(client, paul, place);
  await doomed.stop("SIGKILL");
  const next = await startServer(["--mcp", "--listen", new URL(doomed.url).host], { data: doomed.data });
  expect((await callTool(next, access)).value).toMatchObject({ name: "paul", scopes: ["flags:read"] });
  const here = onData(doomed.data);
  const [grant, ...others] = await here.json<Record<string, unknown>[]>("grants", "list");
  expect(others).toEqual([]);
  expect(grant).toMatchObject({
    user: "paul",
    name: "Claude",
    scopes: ["flags:read"],
    project: "shop",
    environment: "develop",
  });
  const lost = await client.refresh(refresh);
  await next.stop("SIGKILL");
  const last = await startServer(["--mcp", "--listen", new URL(doomed.url).host], { data: doomed.data });
  const refreshed = await client.refresh(refresh);
  expect((await callTool(last, lost.access_token!)).status).toBe(401);
  expect((await callTool(last, refreshed.access_token!)).status).toBe(200);
  expect(await here.run("grants", "revoke", String(grant!["id"]))).toMatchObject({ code: 0 });
  expect((await callTool(last, refreshed.access_token!)).status).toBe(401);
  const entries = await here.json<Record<string, unknown>[]>("audit", "list", "--action", "grant");
  expect(entries).toMatchObject([
    { action: "grant.revoke", object: grant!["id"], details: { user: "paul", client: "Claude" } },
    {
      action: "grant.create",
      who: "paul",
      object: grant!["id"],
      details: {
        client: "Claude",
        clientId: client.id,
        redirect: `this machine (${new URL(REDIRECT).host})`,
      },
    },
  ]);
});

test("assistants stay in the lists of people without --mcp, and can be ended there", async () => {
  const before = await startAssistants();
  const paul = await signIn(before, "paul", "admin");
  await tokensOf(await openClient(before), paul);
  await before.stop();
  const { url } = await startServer([], { data: before.data });
  const later = await enter({ ...before, url }, "paul");
  const pages = ["/dashboard/me", "/dashboard/access/users", "/dashboard/access/users/paul"];
  const texts = async () => Promise.all(pages.map(async (page) => (await later.ask(page)).text()));
  for (const text of await texts()) expect(text).toContain("End Claude of paul");
  const [, end] = /action="([^"]*\/me\/grants\/[^"]+)"/.exec((await texts())[0]!)!;
  expect((await later.send(end!, {})).status).toBe(303);
  for (const text of await texts()) expect(text).not.toContain("Assistants</h2>");
});

test("an address that sends too much has to wait, while codes and tokens of others still count", async () => {
  const proxied = await startServer(["--mcp", "--mcp-registration", "--trusted-proxy", "127.0.0.1"]);
  const post = (path: string, address: string) =>
    fetch(`${proxied.url}/oauth/${path}`, {
      method: "POST",
      headers: { "X-Forwarded-For": address, "Content-Type": "application/x-www-form-urlencoded" },
      body: "grant_type=refresh_token&client_id=a&refresh_token=b&token=c",
    });
  for (const [path, { count }] of [
    ["token", MAX_WRONG_TOKENS],
    ["revoke", MAX_OAUTH_REQUESTS],
    ["register", MAX_OAUTH_REQUESTS],
  ] as const) {
    const address = `192.0.2.${path.length}`;
    const statuses: number[] = [];
    for (let sent = 0; sent <= count; sent += 1) statuses.push((await post(path, address)).status);
    expect(statuses.slice(0, count)).not.toContain(429);
    const last = await post(path, address);
    expect([statuses[count], last.status]).toEqual([429, 429]);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await post("token", "198.51.100.1")).status).toBe(400);
});
