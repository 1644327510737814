import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Author } from "../access/caller.ts";
import type { Scope } from "../access/scope.ts";
import { type Token, requireScope } from "../access/token.ts";
import { authenticate } from "../access/tokens.ts";
import type { App } from "../app.ts";
import { formatBytes } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { requireChangeable } from "../projects/locks.ts";
import { type Client, limitedAs } from "./address.ts";
import { openBody, refuseAbandoned } from "./forms/body.ts";
import { MAX_ADMIN_BODY, MAX_WRONG_TOKENS } from "./limits.ts";
import { createRateLimiter } from "./rate-limit.ts";

/**
 * `operator` is set only by a command that acts on its own data directory, and tells who runs it; no request over HTTP
 * can carry it. `client` is missing in such a command.
 */
export type AdminEnv = {
  Bindings: { operator?: () => string; client?: Client };
  Variables: { caller: Token; app: App; identify: () => Promise<Token> };
};

export const CONFIRM = "X-Confirm";

/** Who runs commands on the machine that holds the data may do everything. */
function operatorToken(name: () => string): Token {
  return {
    get name() {
      return name();
    },
    scopes: ["admin"],
    createdAt: "",
    expiresAt: null,
  };
}

/** Who makes a change, for the history. */
export function authorOf(c: Context<AdminEnv>, app: App): Author {
  return { who: c.get("caller").name, at: app.now() };
}

/**
 * Identifies the caller by a bearer token (RFC 6750), for a route to do so again with `identify`. Throws
 * `unauthenticated`, and `rate_limited` to an address with too many wrong tokens; a right one passes even then.
 */
export function identify(app: App) {
  const countFailure = createFailureCount(app.now);
  return createMiddleware<AdminEnv>(async (c, next) => {
    const { operator, client } = c.env ?? {};
    const identifyCaller = async () => {
      if (operator) return operatorToken(operator);
      try {
        return await authenticate(app, bearerToken(c.req.header("authorization")));
      } catch (error) {
        if (client) countFailure(error, () => client);
        throw error;
      }
    };
    c.set("app", app);
    c.set("identify", identifyCaller);
    c.set("caller", await identifyCaller());
    await next();
  });
}

/** Where an operation acts: the project and environment of its path, or the environment of its query. */
export type OperationPlace = "path" | "query";

/**
 * Lets a caller pass who holds the scope there and, where the operation `changes` what is at the path, may do so although it
 * is locked. The caller is checked before the body is read, so that only one who may ask makes the server read it, and
 * again after it, since a token may be revoked or expire while a body is on its way. Throws `forbidden` or `unconfirmed`,
 * `too_large` for a body of more than `maxBody` bytes, `invalid` where its sender went away, and as `identify` does.
 */
export function requires(
  scope: Scope,
  {
    changes = false,
    place = "path",
    maxBody = MAX_ADMIN_BODY,
  }: { changes?: boolean; place?: OperationPlace; maxBody?: number } = {},
) {
  return createMiddleware<AdminEnv>(async (c, next) => {
    const { project, ...path } = c.req.param() as Partial<Record<string, string>>;
    const environment = place === "query" ? c.req.query("environment") : path["environment"];
    requireScope(c.get("caller"), scope, { project, environment });
    if (c.req.raw.body) {
      await readBody(c, maxBody);
      c.set("caller", await c.get("identify")());
      requireScope(c.get("caller"), scope, { project, environment });
    }
    if (c.req.method !== "GET") await refuseAbandoned(c.req.raw);
    if (changes && project !== undefined) await requireUnlocked(c, { project, environment });
    await next();
  });
}

/** Reads the body, and keeps it for the route. */
async function readBody(c: Context<AdminEnv>, limit: number): Promise<void> {
  const tooLarge = () => new AppError("too_large", `a request body has at most ${formatBytes(limit)}`);
  const body = await openBody(c.req.raw).readAll(limit, tooLarge);
  // Hono's type names what its cache holds, which are promises.
  Object.assign(c.req.bodyCache, { arrayBuffer: Promise.resolve(body) });
}

/** Lets a change pass as `requireChangeable` does: it is confirmed where the header `X-Confirm` says so. */
export function requireUnlocked(
  c: Context<AdminEnv>,
  place: { project: string; environment?: string | undefined },
): Promise<void> {
  const named = new Set((c.req.header(CONFIRM) ?? "").split(",").map((each) => each.trim()));
  const isConfirmed = (environment: string) => named.has(environment) || named.has("*");
  return requireChangeable(c.get("app"), c.get("caller"), place, isConfirmed);
}

/**
 * Counts a login that failed for its token by the network of the client, which is only asked for then; this machine is
 * never counted. Throws `rate_limited` past the limit.
 */
export function createFailureCount(now: () => number): (error: unknown, client: () => Client) => void {
  const count = createRateLimiter(now, "wrong tokens");
  return (error, client) => {
    const isWrong = error instanceof AppError && error.code === "unauthenticated";
    const network = isWrong ? limitedAs(client()) : null;
    if (network !== null) count(network, MAX_WRONG_TOKENS);
  };
}

/** The token in an `Authorization` header (RFC 6750). Throws `unauthenticated`. */
export function bearerToken(authorization: string | undefined): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) {
    throw new AppError("unauthenticated", "a token is missing: send it as Authorization: Bearer <token>", {
      hint: "formflag tokens create makes one, on the machine that holds the data",
    });
  }
  return token;
}
