import { describe, expect, test } from "bun:test";
import { callTool, clientOf, openClient, signIn, startAssistants, tokensOf } from "../../support/oauth.ts";

const server = await startAssistants();
const ann = await signIn(server, "ann", "editor");
const victor = await signIn(server, "victor", "viewer");
const grantsOf = async (user: string) =>
  (await server.run("grants", "list", "--user", user)) as { id: string; scopes: string[] }[];

describe("a token of an assistant", () => {
  test("works at /mcp alone", async () => {
    const client = await openClient(server);
    const { access, refresh } = await tokensOf(client, ann);
    expect((await callTool(server, access)).status).toBe(200);
    const headers = { Authorization: `Bearer ${access}` };
    for (const path of [
      "/api/admin/v1/me",
      "/api/admin/v1/projects",
      "/api/admin/v1/grants",
      "/openfeature/v0/manifest",
    ])
      expect([path, (await fetch(`${server.url}${path}`, { headers })).status]).toEqual([path, 401]);
    expect((await fetch(`${server.url}/dashboard`, { headers, redirect: "manual" })).status).toBe(303);
    expect((await callTool(server, refresh)).status).toBe(401);
  });

  test("is for the address that it was asked for", async () => {
    const client = await openClient(server);
    const { access } = await tokensOf(client, ann);
    const elsewhere = { url: server.url.replace("127.0.0.1", "localhost") };
    expect((await callTool(elsewhere, access)).status).toBe(401);
  });

  test("cannot be used as its client wishes beyond what was given, nor beyond what the person may do now", async () => {
    const { run } = server;
    const olga = await signIn(server, "olga", "editor");
    const client = await openClient(server);
    const { access } = await tokensOf(client, olga, {
      scope: "flags:write",
      project: "shop",
      answer: "allow",
    });
    const change = {
      project: "shop",
      environment: "develop",
      flag: "sale",
      patch: { description: "by an assistant" },
      why: "a test",
    };
    const { value: planned } = await callTool(server, access, "flags_set", change);
    const agreed = { ...change, dryRun: false, plan: planned!["plan"] };
    expect((await callTool(server, access, "flags_set", agreed)).value).toMatchObject({ applied: true });
    expect(await run("flags", "history", "sale", "-p", "shop", "-e", "develop")).toMatchObject([
      { who: "olga", via: "Claude", source: "mcp" },
      {},
    ]);
    expect((await callTool(server, access, "submissions_list", { form: "contact" })).isError).toBe(true);
    await run("users", "set", "olga", "--role", "viewer");
    const refused = await callTool(server, access, "flags_set", change);
    expect(refused.value).toMatchObject({ error: { code: "forbidden" } });
    expect(
      (await callTool(server, access, "flags_list", { project: "shop", environment: "develop" })).isError,
    ).toBe(false);
    await run("users", "delete", "olga", "--yes");
    expect((await callTool(server, access)).status).toBe(401);
  });

  test("ends with a new password of the person, by a person, and by the client", async () => {
    const { id } = await openClient(server);
    const client = clientOf(server, id);
    const revoked = await tokensOf(client, ann);
    const grant = (await grantsOf("ann"))[0]!.id;
    const sent = await ann.send(`/dashboard/me/grants/${grant}`, {});
    expect(sent.status).toBe(303);
    expect((await callTool(server, revoked.access)).status).toBe(401);

    const other = await tokensOf(client, ann);
    expect((await victor.send(`/dashboard/me/grants/${(await grantsOf("ann"))[0]!.id}`, {})).status).toBe(
      403,
    );
    expect((await callTool(server, other.access)).status).toBe(200);
    expect(await client.post("revoke", { token: other.refresh, client_id: "client-other" })).toMatchObject({
      status: 200,
    });
    expect((await callTool(server, other.access)).status).toBe(200);
    expect(await client.post("revoke", { token: other.refresh, client_id: id })).toMatchObject({
      status: 200,
    });
    expect((await callTool(server, other.access)).status).toBe(401);

    const paul = await signIn(server, "paul", "viewer");
    const last = await tokensOf(client, paul);
    expect((await paul.send("/dashboard/me/password", { next: "a long password of paul" })).status).toBe(303);
    expect((await callTool(server, last.access)).status).toBe(401);
  });
});

describe("a refresh token", () => {
  const begin = async () => {
    const client = await openClient(server);
    return { client, first: await tokensOf(client, ann) };
  };
  const spent = { status: 400, error: "invalid_grant" };
  const works = async ({ access_token: access }: { access_token?: string }) =>
    (await callTool(server, access!)).status === 200;
  const newest = async () =>
    (await server.run("audit", "list", "--action", "grant", "--limit", "1")) as unknown[];

  test("that was replaced ends the grant, whoever sends it", async () => {
    const { client, first } = await begin();
    const second = await client.refresh(first.refresh);
    expect(second).toMatchObject({ status: 200, token_type: "Bearer", expires_in: 3600, scope: "read" });
    const evil = await openClient(server);
    expect(await evil.refresh(second.refresh_token!)).toMatchObject(spent);
    const third = await client.refresh(second.refresh_token!);
    expect(await works(third)).toBe(true);
    expect(await newest()).toMatchObject([{ action: "grant.create" }]);
    expect(await client.refresh(first.refresh)).toMatchObject(spent);
    expect(await newest()).toMatchObject([{ action: "grant.revoke", details: { reason: "refresh-reused" } }]);
    expect(await works(third)).toBe(false);
    expect(await client.refresh(third.refresh_token!)).toMatchObject(spent);
  });

  test("counts again after its answer was lost, as long as no token of that answer was used", async () => {
    const { client, first } = await begin();
    const lost = [await client.refresh(first.refresh), await client.refresh(first.refresh)];
    const fresh = await client.refresh(first.refresh);
    expect(fresh).toMatchObject({ status: 200, scope: "read" });
    for (const each of lost) expect(await works(each)).toBe(false);
    expect(await newest()).toMatchObject([{ action: "grant.create" }]);
    expect(await works(fresh)).toBe(true);
    expect(await client.refresh(first.refresh)).toMatchObject(spent);
    expect(await works(fresh)).toBe(false);
  });

  test("ends the grant if a newer one was used, also to get others, or was given up", async () => {
    const replaced = await begin();
    const second = await replaced.client.refresh(replaced.first.refresh);
    const third = await replaced.client.refresh(second.refresh_token!);
    expect(await replaced.client.refresh(replaced.first.refresh)).toMatchObject(spent);
    expect(await works(third)).toBe(false);

    const { client, first } = await begin();
    const lost = await client.refresh(first.refresh);
    const fresh = await client.refresh(first.refresh);
    expect(await client.refresh(lost.refresh_token!)).toMatchObject(spent);
    expect(await works(fresh)).toBe(false);
  });

  test("that is sent many times at once leaves the tokens of one answer", async () => {
    const { client, first } = await begin();
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.refresh(first.refresh)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const working = await Promise.all(answers.map(works));
    expect(working.filter(Boolean)).toHaveLength(1);
    const last = answers[working.indexOf(true)]!;
    expect(await works(await client.refresh(last.refresh_token!))).toBe(true);
  });
});

test("a client that sends a secret, another grant or nothing is told so, and nothing is kept by a browser", async () => {
  const client = await openClient(server);
  const headers = { Authorization: `Basic ${btoa("a:b")}` };
  expect(await client.post("token", {}, headers)).toMatchObject({ status: 401, error: "invalid_client" });
  const other = { grant_type: "client_credentials", client_id: "a" };
  expect(await client.post("token", other)).toMatchObject({ status: 400, error: "unsupported_grant_type" });
  const nothing = await client.post("token", {});
  expect(nothing).toMatchObject({ status: 400, error: "invalid_request" });
  expect(nothing.headers.get("cache-control")).toBe("no-store");
  expect((await fetch(`${server.url}/oauth/token`)).status).toBe(405);
  const large = await client.post("token", { grant_type: "a".repeat(20_000) });
  expect(large).toMatchObject({ status: 413, error: "invalid_request" });
});
