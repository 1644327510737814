import { expect, test } from "bun:test";
import { UnauthorizedError, auth } from "@modelcontextprotocol/client";
import {
  REDIRECT,
  answer,
  callTool,
  connect,
  createProvider,
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
