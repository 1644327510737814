import { createHash, randomBytes } from "node:crypto";
import { afterAll } from "bun:test";
import {
  Client,
  type OAuthClientInformation,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { runExecutable, startServer } from "./executable.ts";
import { caller } from "./mcp.ts";

/** Where the clients of these tests are sent back: no server listens, since the answer is read from the redirect. */
export const REDIRECT = "http://127.0.0.1:7777/callback";

const METADATA = {
  client_name: "Claude",
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: "none",
};

/** A server of assistants in the built executable, with a project, and commands on its data. */
export async function startAssistants(
  args: string[] = ["--mcp-registration"],
  env: Record<string, string> = {},
) {
  const server = await startServer(["--mcp", ...args], { env });
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runExecutable([...words, "--data", server.data, "--json"]);
    if (code !== 0) throw new Error(stderr);
    return (stdout === "" ? null : JSON.parse(stdout)) as unknown;
  };
  await run("projects", "create", "shop");
  await run("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on");
  return { ...server, run };
}

export type Assistants = Awaited<ReturnType<typeof startAssistants>>;

/** A browser of a person that keeps its cookies, and sends forms as pages of the server do. */
export function openBrowser(origin: string) {
  const cookies = new Map<string, string>();
  const ask = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const answer = await fetch(new URL(address, origin), { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    return answer;
  };
  const send = (address: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    ask(address, {
      method: "POST",
      headers: { Origin: origin, ...headers },
      body: new URLSearchParams(fields),
    });
  return { ask, send };
}

export type Browser = ReturnType<typeof openBrowser>;

/** A new user with a role, and a browser in which that user is signed in. */
export async function signIn(server: Assistants, name: string, role: string): Promise<Browser> {
  await server.run("users", "create", name, "--role", role);
  return enter(server, name);
}

/** A browser in which a user is signed in by a link. */
export async function enter(server: Assistants, name: string): Promise<Browser> {
  const { url } = (await server.run("users", "link", name)) as { url: string };
  const browser = openBrowser(server.url);
  const answer = await browser.send(new URL(url, server.url).pathname, {});
  if (answer.status !== 303) throw new Error(await answer.text());
  return browser;
}

/** The answer that a page of a mistake has for the client, behind its link: the error, and who it comes from. */
export async function mistakeOf(page: Response): Promise<URL> {
  const [, href] = /<a class="button" href="([^"]+)"/.exec(await page.text()) ?? [];
  return new URL(href!.replaceAll("&amp;", "&"));
}

/** The answer of a person to a request for authorization, as the client gets it: the address to which the browser is sent. */
export async function answer(
  browser: Browser,
  request: string | URL,
  fields: Record<string, string> = { scope: "read", answer: "allow" },
): Promise<URL> {
  const page = await browser.ask(String(request));
  if (page.status !== 200)
    throw new Error(`${page.status} ${page.headers.get("location")} ${await page.text()}`);
  const text = await page.text();
  const action = /<form method="post" action="([^"]*authorize[^"]*)"/.exec(text)![1]!;
  const user = /<input type="hidden" name="user" value="([^"]*)"/.exec(text)![1]!;
  const sent = await browser.send(action.replaceAll("&amp;", "&"), { user, ...fields });
  if (sent.status !== 303) throw new Error(`${sent.status} ${await sent.text()}`);
  return new URL(sent.headers.get("location")!);
}

/** What a client of the official library keeps. */
export function createProvider(options: Partial<OAuthClientProvider> = {}) {
  const kept: {
    client?: OAuthClientInformation;
    tokens?: OAuthTokens;
    verifier?: string;
    request?: URL;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: METADATA,
    state: () => "a state",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.request = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    ...options,
  };
  return { kept, provider };
}

/** Connects the official client with what it keeps. Throws its `UnauthorizedError` where a person has to allow it. */
export async function connect(server: Pick<Assistants, "url">, provider: OAuthClientProvider) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    authProvider: provider,
  });
  afterAll(() => client.close());
  await client.connect(transport);
  return { client, call: caller(client) };
}

/** A client that is written by hand, for what no library does. */
export async function openClient(server: Pick<Assistants, "url">, metadata: object = METADATA) {
  const registered = await fetch(`${server.url}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
  const { client_id: id } = (await registered.json()) as { client_id: string };
  return { id, ...clientOf(server, id) };
}

/** The requests of a client with an id. */
export function clientOf({ url }: Pick<Assistants, "url">, id: string) {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const request = (changes: Record<string, string | null> = {}): string => {
    const parameters = {
      response_type: "code",
      client_id: id,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "a state",
      resource: `${url}/mcp`,
      ...changes,
    };
    const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
    return `${url}/dashboard/authorize?${new URLSearchParams(sent).toString()}`;
  };
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const answered = await fetch(`${url}/oauth/${path}`, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers,
    });
    const text = await answered.text();
    return {
      status: answered.status,
      headers: answered.headers,
      ...(text === "" ? {} : (JSON.parse(text) as Answered)),
    };
  };
  const exchange = (code: string, changes: Record<string, string> = {}) =>
    post("token", {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      client_id: id,
      redirect_uri: REDIRECT,
      resource: `${url}/mcp`,
      ...changes,
    });
  const refresh = (token: string, changes: Record<string, string> = {}) =>
    post("token", { grant_type: "refresh_token", refresh_token: token, client_id: id, ...changes });
  return { verifier, request, post, exchange, refresh };
}

type Answered = Partial<OAuthTokens> & { error?: string; error_description?: string };

/** Tokens of a person for a client that is written by hand. */
export async function tokensOf(
  client: ReturnType<typeof clientOf>,
  browser: Browser,
  fields?: Record<string, string>,
): Promise<{ access: string; refresh: string; code: string }> {
  const code = (await answer(browser, client.request(), fields)).searchParams.get("code")!;
  const { access_token: access, refresh_token: refresh } = await client.exchange(code);
  return { access: access!, refresh: refresh!, code };
}

/** Calls a tool, or lists them, with a token: the status, and the result. */
export async function callTool(
  { url }: Pick<Assistants, "url">,
  token: string | null,
  name = "overview",
  args: Record<string, unknown> = {},
) {
  const answered = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(token !== null && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await answered.text();
  const json = /^data: (.+)$/m.exec(text)?.[1] ?? text;
  const { result } = JSON.parse(json) as {
    result?: { structuredContent: Record<string, unknown>; isError?: boolean };
  };
  return {
    status: answered.status,
    challenge: answered.headers.get("www-authenticate"),
    value: result?.structuredContent,
    isError: result?.isError ?? false,
  };
}
