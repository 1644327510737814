import { afterAll } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { NewToken } from "../../src/access/token.ts";
import { createToken } from "../../src/access/tokens.ts";
import { once } from "../../src/base/once.ts";
import { createMcpService } from "../../src/http/mcp/mcp.ts";
import { openSites } from "./site.ts";
import { OPERATOR } from "./records/caller.ts";

/** The answer of a tool: its value, and the text that a model reads. */
type Told = { value: Value; text: string; isError: boolean };

type Value = {
  items: Record<string, unknown>[];
  next: string | null;
  plan: string;
  changes: unknown[];
  locked: string[];
  enabled: boolean;
  error: Record<string, unknown>;
  [name: string]: unknown;
};

/** The tools of an app over HTTP, without a socket. */
export function openTools({ isLocal = false, urls = [] as string[] } = {}) {
  const { app, services, openSite } = openSites();
  const logged: string[] = [];
  const mcp = createMcpService(once(services.admin), {
    now: app.now,
    version: "test",
    report: services.report,
    log: (text) => void logged.push(text),
    isLocal,
    urls,
    oauth: null,
    basePath: "",
  });
  const { ask } = openSite({ ...services, mcp: async () => mcp });
  let made = 0;
  const tokenWith = async (input: Omit<NewToken, "name">) =>
    (await createToken(app, OPERATOR, { ...input, name: `token-${(made += 1)}` })).token;
  return {
    app,
    services,
    logged,
    ask,
    tokenWith,
    /** The official client, with a token of these scopes. */
    connect: async (
      scopes: NonNullable<NewToken["scopes"]>,
      place: Pick<NewToken, "project" | "environment"> = {},
    ) => {
      const token = await tokenWith({ scopes, ...place });
      const transport = new StreamableHTTPClientTransport(new URL("http://site.test/mcp"), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
        fetch: async (url, init) => ask(new URL(url).pathname, init),
      });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport);
      afterAll(() => client.close());
      return { client, token, call: caller(client) };
    },
  };
}

/** Calls a tool of a client. */
export function caller(client: Pick<Client, "callTool">) {
  return async (name: string, args: Record<string, unknown> = {}): Promise<Told> => {
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args });
    const [first] = content as { text: string }[];
    return { value: structuredContent as Value, text: first!.text, isError };
  };
}
