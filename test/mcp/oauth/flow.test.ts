import { expect, test } from "bun:test";
import { UnauthorizedError, auth } from "@modelcontextprotocol/client";
import { bytesOfBase32 } from "../../../src/access/factors/base32.ts";
import { totpCode, totpStep } from "../../../src/access/factors/totp.ts";
import {
  REDIRECT,
  answer,
  callTool,
  connect,
  createProvider,
  openClient,
  signIn,
  startAssistants,
} from "../../support/oauth.ts";

const server = await startAssistants();

test("the official client signs a person in, calls a tool as that person, and refreshes its tokens", async () => {
  const ann = await signIn(server, "ann", "editor");
  const { kept, provider } = createProvider();
  const refused = await connect(server, provider).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnauthorizedError);
  const back = await answer(ann, kept.request!, { scope: "read", project: "shop", answer: "allow" });
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
  expect(back.searchParams.get("state")).toBe("a state");
  expect(back.searchParams.get("iss")).toBe(server.url);
  const options = { serverUrl: `${server.url}/mcp`, iss: server.url };
  expect(await auth(provider, { ...options, authorizationCode: back.searchParams.get("code")! })).toBe(
    "AUTHORIZED",
  );
  const { client, call } = await connect(server, provider);
  const { value } = await call("overview");
  expect(value).toMatchObject({ name: "ann", scopes: ["read"], projects: [{ slug: "shop" }] });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("flags_set");

  const before = kept.tokens!;
  expect(await auth(provider, options)).toBe("AUTHORIZED");
  expect(kept.tokens!.access_token).not.toBe(before.access_token);
  expect((await callTool(server, kept.tokens!.access_token)).status).toBe(200);
  expect((await callTool(server, before.access_token)).status).toBe(401);
});

test("a person who has to set up a second factor first comes back to the request of the assistant", async () => {
  const strict = await startAssistants(["--mcp-registration", "--second-factor", "viewer"]);
  const paul = await signIn(strict, "paul", "editor");
  const client = await openClient(strict);
  const refused = await paul.ask(client.request());
  expect(refused.status).toBe(303);
  const gate = await (await paul.ask(refused.headers.get("location")!)).text();
  const action = /<form method="post" action="([^"]*totp[^"]*)"/.exec(gate)![1]!.replaceAll("&amp;", "&");
  const secret = /secret=([A-Z2-7]{32})/.exec(gate)![1]!.toLowerCase();
  const code = totpCode(bytesOfBase32(secret)!, totpStep(Date.now()));
  const shown = await (await paul.send(action, { code })).text();
  const [, next] = /href="([^"]*authorize[^"]*)"[^>]*>I have kept them/.exec(shown)!;
  const back = await answer(paul, next!.replaceAll("&amp;", "&"));
  const { access_token: access } = await client.exchange(back.searchParams.get("code")!);
  expect((await callTool(strict, access!)).value).toMatchObject({ name: "paul" });
});
