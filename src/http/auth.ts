import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type Caller, NOBODY, confirmationIn, operatorCaller } from "../access/caller.ts";
import { CLI_PREFIX } from "../access/session.ts";
import { resumeSession, userCaller } from "../access/sessions.ts";
import { createTokenFinder } from "../access/token-finder.ts";
import { tokenCaller } from "../access/tokens.ts";
import { sourceIn } from "../access/source.ts";
import { readWhy } from "../access/why.ts";
import type { App } from "../app.ts";
import { AppError } from "../base/errors.ts";
import { type Client, limitKey } from "./address.ts";
import { readAll, refuseAbandoned } from "./body.ts";
import { requireAdmitted } from "../operations/call.ts";
import { MAX_ADMIN_BODY } from "../operations/limits.ts";
import type { Operation, Unchecked } from "../operations/operation.ts";
import { bodyTooLarge } from "../operations/results.ts";
import { MAX_WRONG_TOKENS } from "./limits.ts";
import { type ThreadCounts, createRateLimiter } from "./rate-limit.ts";

/**
 * `operator` returns who runs a command on a data directory of this machine, and `assistant` who calls a tool for a user; no
 * request over HTTP can set them. `client` is missing in such a command.
 */
export type AdminEnv = {
  Bindings: { operator?: () => string; assistant?: Assistant | undefined; client?: Client };
  Variables: { caller: Caller; identify: () => Promise<Caller> };
};

/** The caller that an access token of `/mcp` stands for. Throws `unauthenticated`. */
export type Assistant = () => Promise<Omit<Caller, "hasConfirmed">>;

export const CONFIRM = "X-Confirm";
export const WHY = "X-Why";
/** Names the client that sends a change, for the history: `cli` or `mcp`. */
const SOURCE = "X-Source";
export const PROPOSE = "X-Propose";
export const BYPASS = "X-Bypass";

/** The reason for a change in the header `X-Why`, percent-encoded UTF-8; undefined for none. Throws `invalid`. */
function whyIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    return readWhy(decodeURIComponent(header));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new AppError("invalid", `the header ${WHY} is not UTF-8 in percent-encoding`, {
      hint: "write a space as %20 and ü as %C3%BC",
    });
  }
}

/**
 * Identifies the caller by a bearer token (RFC 6750), or the secret of a login; the variable `identify` repeats that. Throws `unauthenticated`,
 * `invalid` for the reason of a change, and `rate_limited` for an address with too many wrong tokens, from which a valid
 * token still passes.
 */
export function identify(app: App) {
  const countFailure = createFailureCount(app.now);
  const findToken = createTokenFinder(app.watch, app.store);
  return createMiddleware<AdminEnv>(async (c, next) => {
    const { operator, assistant, client } = c.env ?? {};
    const hasConfirmed = confirmationIn(c.req.header(CONFIRM));
    const why = () => whyIn(c.req.header(WHY));
    const identifyCaller = async (): Promise<Caller> => {
      if (operator) return operatorCaller(operator, hasConfirmed, why());
      try {
        const address = client?.address;
        const source = sourceIn(c.req.header(SOURCE));
        if (assistant) return { ...(await assistant()), hasConfirmed, why: why(), address, source };
        const secret = bearerToken(c.req.header("authorization"));
        if (secret.startsWith(CLI_PREFIX)) {
          const signedIn = await resumeSession(app, secret, "cli");
          return { ...userCaller(app, signedIn, secret, hasConfirmed, why()), address, source };
        }
        const caller = await tokenCaller(app, secret, findToken, { hasConfirmed, why: why(), address });
        return { ...caller, source };
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

/**
 * Requires that the caller holds the scope of an operation in its place. It is checked before the body is read, so that only
 * an authorised caller makes the server read it, and again afterwards, since a token may be revoked or expire while a body
 * arrives. Throws `forbidden`, `too_large` for a body of more than `maxBody` bytes, `invalid` if its sender disconnected,
 * and as `identify`.
 */
export function requires(
  operation: Pick<Operation, "scope" | "place" | "maxBody" | "admits" | "other">,
  app: App,
) {
  const { maxBody = MAX_ADMIN_BODY } = operation;
  return createMiddleware<AdminEnv>(async (c, next) => {
    const [names, environment] = [c.req.param(), c.req.query("environment")];
    const admit = (isBodyRead: boolean) => {
      const place = { caller: c.get("caller"), names, environment };
      return requireAdmitted(operation, place, isBodyRead ? () => askedOf(c, app) : null);
    };
    await admit(!c.req.raw.body);
    if (c.req.raw.body) {
      await readBody(c, maxBody);
      c.set("caller", await c.get("identify")());
      await admit(true);
    }
    if (c.req.method !== "GET") await refuseAbandoned(c.req.raw);
    await next();
  });
}

/** A call of an operation, unchecked. */
async function askedOf(c: Context<AdminEnv>, app: App): Promise<Unchecked> {
  const text = c.req.raw.body ? await c.req.text() : "";
  const body: unknown = isJson(text) ? JSON.parse(text) : undefined;
  return { app, caller: c.get("caller"), names: c.req.param(), query: c.req.query(), body };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Lets everybody call an operation. Throws `too_large`. */
export function open({ maxBody = MAX_ADMIN_BODY }: Pick<Operation, "maxBody">) {
  return createMiddleware<AdminEnv>(async (c, next) => {
    if (c.req.raw.body) await readBody(c, maxBody);
    c.set("caller", NOBODY);
    await next();
  });
}

/** Reads the body, and keeps it for the route. */
async function readBody(c: Context<AdminEnv>, limit: number): Promise<void> {
  const body = await readAll(c.req.raw, limit, () => bodyTooLarge(limit));
  // Hono's cache holds promises, which its type does not say.
  Object.assign(c.req.bodyCache, { arrayBuffer: Promise.resolve(body) });
}

/**
 * Returns a function that counts errors for a wrong token by the network of the client; this machine is never counted. The
 * function calls `client` only for such an error, and throws `rate_limited` past the limit.
 */
export function createFailureCount(
  now: () => number,
  threads: ThreadCounts = null,
): (error: unknown, client: () => Client) => void {
  const count = createRateLimiter(now, "wrong tokens", threads);
  return (error, client) => {
    const isWrong = error instanceof AppError && error.code === "unauthenticated";
    const network = isWrong ? limitKey(client()) : null;
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
