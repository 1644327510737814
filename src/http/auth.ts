import { createMiddleware } from "hono/factory";
import type { App } from "../app.ts";
import { AppError } from "../errors.ts";
import { authenticate, requireScope, type Scope, type Token } from "../tokens.ts";

/** `operator` is set only by a command that acts on its own data directory; no request over HTTP can carry it. */
export type AdminEnv = { Bindings: { operator?: true }; Variables: { caller: Token } };

/** Who runs commands on the machine that holds the data may do everything. */
const OPERATOR: Token = { name: "operator", scopes: ["admin"], createdAt: "", expiresAt: null };

/** Finds out who calls, by a bearer token (RFC 6750). Throws `unauthenticated`. */
export function identify(app: App) {
  return createMiddleware<AdminEnv>(async (c, next) => {
    c.set(
      "caller",
      c.env?.operator ? OPERATOR : await authenticate(app, bearerToken(c.req.header("authorization"))),
    );
    await next();
  });
}

/** Lets a caller pass who holds the scope. Throws `forbidden`. */
export function requires(scope: Scope) {
  return createMiddleware<AdminEnv>(async (c, next) => {
    requireScope(c.get("caller"), scope);
    await next();
  });
}

function bearerToken(authorization: string | undefined): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) {
    throw new AppError("unauthenticated", "a token is missing: send it as Authorization: Bearer <token>", {
      hint: "formflag tokens create makes one, on the machine that holds the data",
    });
  }
  return token;
}
