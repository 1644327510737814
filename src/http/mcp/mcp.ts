import { createMcpHandler } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { actorName } from "../../access/source.ts";
import { AppError, ERROR_CODES } from "../../base/errors.ts";
import { type Identity, type Session, identityOf, type Send } from "../../mcp/api.ts";
import { MAX_MESSAGE } from "../../mcp/limits.ts";
import {
  PARSE_ERROR,
  type Refusal,
  TOO_DEEP,
  isTooDeep,
  refusalOfListening,
  refusalOfNumbers,
  refusalWithoutId,
} from "../../mcp/message.ts";
import { createServer, hasTools } from "../../mcp/server.ts";
import { me } from "../../operations/access/me.ts";
import type { AdminApp } from "../admin/admin.ts";
import type { Client } from "../address.ts";
import type { Assistant } from "../auth.ts";
import { parseJson, readAll } from "../body.ts";
import { type Report, showError } from "../errors.ts";
import { MAX_WRONG_TOKENS } from "../limits.ts";
import { MCP_PATH } from "../paths.ts";
import { createRateLimiter } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";
import { parseExactly } from "../../base/json/exact-json.ts";
import { type OAuthOptions, createOAuth } from "./oauth/oauth.ts";
import { ADMIN_PATH, addressOf } from "../../operations/operation.ts";

/** The Model Context Protocol over HTTP: https://modelcontextprotocol.io/specification */
export type McpService = {
  /** With the base path. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

type Options = Own & {
  basePath: string;
  /** How people sign assistants in; null for tokens alone. */
  oauth: OAuthOptions | null;
  now: () => number;
  version: string;
  report: Report;
  /** Gets a line for each call of a tool. */
  log: (text: string) => void;
};

const HEADERS = { ...NO_SNIFF, "Cache-Control": "no-store" } as const;

/**
 * Tools for assistants, on the admin API in this process. Each request stands alone, and has the rights of its token. The
 * library checks neither token nor origin: {@link answer} does, before it is asked.
 */
export function createMcpService(admin: () => Promise<AdminApp>, options: Options): McpService {
  const { version, report, log } = options;
  const oauth = options.oauth && createOAuth(options.oauth, report);
  const sessions = new WeakMap<Request, Session>();
  const handler = createMcpHandler(({ requestInfo }) => createServer(sessions.get(requestInfo!)!, version), {
    maxRequestBodySize: MAX_MESSAGE,
  });

  const countLocal = createRateLimiter(options.now, "wrong tokens");
  const identify = async (send: Session["send"], { isLocal }: Client): Promise<Identity> => {
    try {
      return identityOf(await send(me.get, {}));
    } catch (error) {
      // The admin API counts no wrong token of this machine.
      if (isLocal && error instanceof AppError && error.code === "unauthenticated")
        countLocal("local", MAX_WRONG_TOKENS);
      throw error;
    }
  };

  const answer = async (request: Request, client: Client): Promise<Response> => {
    requireOwnAddress(request, options);
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { Allow: "POST" } });
    const authorization = request.headers.get("authorization");
    const assistant = oauth?.assistantOf(request, authorization) ?? undefined;
    const send = adminCall(await admin(), authorization, { client, assistant });
    const identity = await identify(send, client);
    const via = (await assistant?.())?.via;
    if (!hasTools(identity)) throw withoutTools(identity);
    const { message, refusal, status } = await messageOf(request);
    if (refusal) return Response.json(refusal, { status });
    const asked = withAccept(request);
    sessions.set(asked, {
      send,
      origin: new URL(request.url).origin,
      identify: async () => identity,
      log: (tool, who) => log(`mcp: ${tool} by ${actorName({ who, via })}`),
      report: (error) => report.error(error, request),
    });
    return handler.fetch(asked, { parsedBody: message });
  };

  const routes = oauth?.routes ?? new Hono<{ Bindings: { client: Client } }>();
  routes.all(`${options.basePath}${MCP_PATH}`, async (c) => {
    try {
      const { status, headers, body } = await answer(c.req.raw, c.env.client);
      const all = new Headers(headers);
      for (const [name, value] of Object.entries(HEADERS)) all.set(name, value);
      return new Response(body, { status, headers: all });
    } catch (error) {
      const { status, code, message, hint, headers } = showError(error, report, c.req.raw);
      const challenge =
        status === 401
          ? { "WWW-Authenticate": `Bearer realm="formflag"${oauth?.challengeTo(c.req.raw) ?? ""}` }
          : {};
      return c.json({ error: { code, message, hint } }, status, { ...HEADERS, ...headers, ...challenge });
    }
  });
  return { routes };
}

function withoutTools({ scopes }: Identity): AppError {
  return new AppError("forbidden", "this token has no scope of a tool", {
    hint: `it holds ${scopes.join(", ") || "none"}; read is enough to read`,
  });
}

/** The request for the library, which takes nothing for "any type". */
function withAccept(request: Request): Request {
  const { url, method, signal } = request;
  const headers = new Headers(request.headers);
  const accept = headers.get("accept");
  if (accept !== null && !/(?:^|,)\s*\*\/\*\s*(?:[,;]|$)/.test(accept)) return request;
  headers.set("accept", "application/json, text/event-stream");
  return new Request(url, { method, headers, signal });
}

type Received = { message: unknown; refusal: Refusal | null; status: 200 | 400 };

/** The message of a request, and the answer to one that is refused. Throws `unsupported`, `too_large`. */
async function messageOf(request: Request): Promise<Received> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw new AppError("unsupported", "a message is sent as Content-Type: application/json");
  const bytes = await readAll(
    request,
    MAX_MESSAGE,
    () => new AppError("too_large", "a message has at most 1 MB"),
  );
  const refused = (refusal: Refusal): Received => ({ message: null, refusal, status: 400 });
  if (isTooDeep(bytes)) return refused(refusalWithoutId(TOO_DEEP));
  let message: unknown;
  try {
    message = parseJson(bytes);
  } catch (error) {
    if (error instanceof AppError) return refused(refusalWithoutId(error.message, PARSE_ERROR));
    throw error;
  }
  if (Array.isArray(message)) return refused(refusalWithoutId("a body is one message, not a list of them"));
  const listening = refusalOfListening(message);
  if (listening) return refused(listening);
  const refusal = refusalOfNumbers(message, new TextDecoder().decode(bytes));
  return { message, refusal, status: 200 };
}

type ErrorBody = {
  error: { code: string; message: string; reason?: string | null; hint?: string | null };
};

/** Calls operations of the admin API in this process, with the rights of the sender of the `authorization` header. */
function adminCall(
  admin: AdminApp,
  authorization: string | null,
  env: { client: Client; assistant: Assistant | undefined },
): Send {
  return async (operation, { names, query, body, why }) => {
    const request = new Request(`http://localhost${ADMIN_PATH}${addressOf(operation, names, query)}`, {
      method: operation.method,
      headers: {
        "X-Source": "mcp",
        ...(authorization !== null && { Authorization: authorization }),
        ...(why !== undefined && { "X-Why": encodeURIComponent(why) }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await admin.fetch(request, env);
    if (answer.ok) return answer.status === 204 ? undefined : parseExactly(await answer.text());
    throw await errorOf(answer);
  };
}

/** The error of an answer; one without a known code was a bug, and is reported already. */
async function errorOf(answer: Response): Promise<Error> {
  const { error } = (await answer.json()) as ErrorBody;
  const known = ERROR_CODES.find((each) => each === error.code);
  const retryAfter = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new AppError(known ?? "unavailable", error.message, {
    reason: error.reason ?? undefined,
    hint: error.hint ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** The addresses of a server, as far as it knows them. */
type Own = {
  /** The addresses that browsers use, such as that of `--public-url`. */
  urls: readonly string[];
  /** Whether only this machine reaches it: no proxy passes other names on to it. */
  isLocal: boolean;
};

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Throws `forbidden` for a request that a page of another origin may have sent, and on this machine for one to another name,
 * which is how a page gets around its origin (DNS rebinding).
 */
function requireOwnAddress(request: Request, { urls, isLocal }: Own): void {
  const host = hostOf(request.headers.get("host"));
  const isOwn = (name: string) => LOOPBACK.has(name) || urls.some((url) => new URL(url).hostname === name);
  if (isLocal && (host === null || !isOwn(host.hostname)))
    throw new AppError("forbidden", "this is not an address of this server", {
      reason: "foreign-host",
      hint: "use localhost, or start it with its public address",
    });
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const sender = URL.parse(origin);
  const isKnown = urls.some((url) => new URL(url).origin === sender?.origin);
  if (isKnown || (sender !== null && host !== null && isOfHost(sender, host))) return;
  throw new AppError("forbidden", "this request comes from a page of another origin", {
    reason: "foreign-origin",
  });
}

/** Whether an origin is the address that was called: one of this machine, or a bare address, which no name can be bound to. */
function isOfHost(sender: URL, host: URL): boolean {
  if (!/^https?:$/.test(sender.protocol)) return false;
  const own = URL.parse(`${sender.protocol}//${host.host}`);
  if (own === null || own.port !== sender.port) return false;
  if (LOOPBACK.has(own.hostname)) return LOOPBACK.has(sender.hostname);
  return own.hostname === sender.hostname && /^(\[.+\]|\d+\.\d+\.\d+\.\d+)$/.test(own.hostname);
}

/** The host of a request with its port; null for none. */
function hostOf(header: string | null): URL | null {
  return header === null || /[/@\\?#\s]/.test(header) ? null : URL.parse(`http://${header}`);
}
