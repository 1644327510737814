import { createMcpHandler } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { AppError } from "../../base/errors.ts";
import { type Identity, type Session, identityOf } from "../../mcp/api.ts";
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
import { parseJson, readAll } from "../body.ts";
import { type Report, showError } from "../errors.ts";
import { MAX_WRONG_TOKENS } from "../limits.ts";
import { MCP_PATH } from "../paths.ts";
import { createRateLimiter } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";
import { adminCall } from "./admin-call.ts";
import { type Own, requireOwnAddress } from "./own-address.ts";

/** The Model Context Protocol over HTTP: https://modelcontextprotocol.io/specification */
export type McpService = { routes: Hono<{ Bindings: { client: Client } }> };

type Options = Own & {
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
    const send = adminCall(await admin(), request.headers.get("authorization"), client);
    const identity = await identify(send, client);
    if (!hasTools(identity)) throw withoutTools(identity);
    const { message, refusal, status } = await messageOf(request);
    if (refusal) return Response.json(refusal, { status });
    const asked = withAccept(request);
    sessions.set(asked, {
      send,
      identify: async () => identity,
      log: (tool, name) => log(`mcp: ${tool} by ${name}`),
      report: (error) => report.error(error, request),
    });
    return handler.fetch(asked, { parsedBody: message });
  };

  const routes = new Hono<{ Bindings: { client: Client } }>();
  routes.all(MCP_PATH, async (c) => {
    try {
      const { status, headers, body } = await answer(c.req.raw, c.env.client);
      const all = new Headers(headers);
      for (const [name, value] of Object.entries(HEADERS)) all.set(name, value);
      return new Response(body, { status, headers: all });
    } catch (error) {
      const { status, code, message, hint, headers } = showError(error, report, c.req.raw);
      const challenge = status === 401 ? { "WWW-Authenticate": 'Bearer realm="formflag"' } : {};
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
