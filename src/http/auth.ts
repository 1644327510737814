import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Caller } from "../access/caller.ts";
import type { Scope } from "../access/scope.ts";
import { type Rights, requireScope } from "../access/token.ts";
import { authenticate } from "../access/tokens.ts";
import type { App } from "../app.ts";
import { formatBytes } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
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
  Variables: { caller: Caller; identify: () => Promise<Caller> };
};

export const CONFIRM = "X-Confirm";

/** Who runs commands on the machine that holds the data may do everything. */
function operatorRights(name: () => string): Rights {
  return {
    get name() {
      return name();
    },
    scopes: ["admin"],
  };
}

/** Whether the header `X-Confirm` names an environment, or all of them with `*`. */
function confirmationIn(header: string | undefined): (environment: string) => boolean {
  const named = new Set((header ?? "").split(",").map((each) => each.trim()));
  return (environment) => named.has(environment) || named.has("*");
}

/**
 * Identifies the caller by a bearer token (RFC 6750), for a route to do so again with `identify`. Throws
 * `unauthenticated`, and `rate_limited` to an address with too many wrong tokens; a right one passes even then.
 */
export function identify(app: App) {
  const countFailure = createFailureCount(app.now);
  return createMiddleware<AdminEnv>(async (c, next) => {
    const { operator, client } = c.env ?? {};
    const hasConfirmed = confirmationIn(c.req.header(CONFIRM));
    const identifyCaller = async (): Promise<Caller> => {
      if (operator) return Object.assign(operatorRights(operator), { hasConfirmed, verify: async () => {} });
      try {
        const secret = bearerToken(c.req.header("authorization"));
        const verify = async () => void (await authenticate(app, secret));
        return { ...(await authenticate(app, secret)), hasConfirmed, verify };
      } catch (error) {
        if (client) countFailure(error, () => client);
        throw error;
      }
    };
    c.set("identify", identifyCaller);
    c.set("caller", await identifyCaller());
    await next();
  });
}

/** Where an operation acts: the project and environment of its path, or the environment of its query. */
export type OperationPlace = "path" | "query";

/**
 * Lets a caller pass who holds the scope there: checked before the body is read, so that only one who may ask makes the
 * server read it, and again after it, since a token may be revoked or expire while a body is on its way. Throws
 * `forbidden`, `too_large` for a body of more than `maxBody` bytes, `invalid` where its sender went away, and as `identify`
 * does.
 */
export function requires(
  scope: Scope,
  { place = "path", maxBody = MAX_ADMIN_BODY }: { place?: OperationPlace; maxBody?: number } = {},
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
      reason: "token-unknown",
    });
  }
  return token;
}
