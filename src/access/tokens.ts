import type { Find } from "../base/changes.ts";
import { AppError } from "../base/errors.ts";
import { isoTime } from "../base/clock.ts";
import { sha256 } from "../base/sum.ts";
import type { Caller } from "./caller.ts";
import type { AccessChange } from "./change.ts";
import { change, type Plan } from "./door.ts";
import type { Reach, TokenPlace } from "./place.ts";
import { PLACED_SCOPES, type Scope } from "./scope.ts";
import type { AccessApp, FoundToken } from "./store.ts";
import { requireScope } from "./rights.ts";
import { type CreatedToken, grantOf, type NewToken, noSuchToken, type Token, tokenSecret } from "./token.ts";

/**
 * Creates a token; only the SHA-256 of its secret is stored. Throws `invalid` for an expiry in the past and for a scope
 * that cannot be limited to the place, `not_found` for the place, `conflict` for the name of another token or a user, `forbidden`.
 */
export function createToken(app: AccessApp, caller: Caller, input: NewToken): Promise<CreatedToken> {
  requireScope(caller, "admin");
  const { name, scopes = ["admin" as const] } = input;
  const place = placeOf(input, scopes);
  const expiresAt = input.expiresAt == null ? null : Date.parse(input.expiresAt);
  return change(app, caller, async ({ at }): Promise<Plan<AccessChange, CreatedToken>> => {
    if (expiresAt !== null && expiresAt <= at)
      throw new AppError("invalid", "a token must expire in the future");
    const tokens = await app.store.tokens.list();
    if (tokens.some((token) => token.name === name))
      throw new AppError("conflict", `token "${name}" already exists`, { reason: "token-exists" });
    if (await app.store.users.find(name))
      throw new AppError("conflict", `the name "${name}" is that of a user`, { reason: "name-taken" });
    const secret = tokenSecret(app.random);
    const token: Token = {
      name,
      scopes: [...new Set(scopes)],
      ...place,
      createdAt: isoTime(at),
      expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    };
    return {
      changes: [{ change: "insertToken", token, hash: hashToken(secret) }],
      result: { ...token, token: secret },
    };
  });
}

/** Revokes a token, which is refused from then on. Throws `not_found`, `forbidden`. */
export function revokeToken(app: AccessApp, caller: Caller, name: string): Promise<void> {
  requireScope(caller, "admin");
  return change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    const tokens = await app.store.tokens.list();
    if (!tokens.some((token) => token.name === name)) throw noSuchToken(name);
    return { changes: [{ change: "deleteToken", name }], result: undefined };
  });
}

/** The place that the scopes are limited to; null for none. Throws `invalid` for scopes that cannot be limited to it. */
function placeOf({ project, environment }: Reach, scopes: readonly Scope[]): TokenPlace | null {
  const isForEvaluation = scopes.includes("flags:evaluate");
  if (isForEvaluation && (project === undefined || environment === undefined || scopes.length > 1)) {
    throw new AppError(
      "invalid",
      "the scope flags:evaluate needs a project and an environment, and excludes other scopes",
      { reason: "evaluate-alone" },
    );
  }
  if (scopes.includes("flags:refs") && (project === undefined || environment !== undefined)) {
    throw new AppError(
      "invalid",
      "the scope flags:refs needs a project, and cannot be limited to an environment",
      {
        reason: "refs-of-project",
      },
    );
  }
  if (project === undefined) {
    if (environment === undefined) return null;
    throw new AppError("invalid", "an environment needs its project");
  }
  const unlimited = scopes.find((scope) => !PLACED_SCOPES.includes(scope));
  if (unlimited === undefined) return { project, environment };
  throw new AppError("invalid", `the scope ${unlimited} cannot be limited to a project or an environment`, {
    hint: `these can: ${PLACED_SCOPES.join(", ")}`,
  });
}

/**
 * The token that a secret belongs to, by `find` or else as the store has it now. Throws `unauthenticated` if it is
 * unknown, revoked or expired, and `unavailable`.
 */
export async function authenticate(
  app: AccessApp,
  secret: string,
  find: Find<FoundToken> = (hash) => app.store.tokens.find(hash),
): Promise<FoundToken & { hash: string }> {
  const hash = hashToken(secret);
  const token = await find(hash);
  if (!token) {
    throw new AppError("unauthenticated", "this token is not known here, or was revoked", {
      reason: "token-unknown",
    });
  }
  if (isExpired(token, app.now())) {
    throw new AppError("unauthenticated", `the token "${token.name}" expired at ${token.expiresAt}`);
  }
  return { ...token, hash };
}

/**
 * The caller that presents a secret, identified by `find` as {@link authenticate} does. Before a change it is read from the
 * store, so that nothing is applied for a token that was revoked before.
 */
export async function tokenCaller(
  app: AccessApp,
  secret: string,
  find: Find<FoundToken>,
  { hasConfirmed, why, address }: Pick<Caller, "hasConfirmed" | "why" | "address">,
): Promise<Caller> {
  const token = await authenticate(app, secret, find);
  return {
    name: token.name,
    type: "token",
    grants: [grantOf(token)],
    hasConfirmed,
    why,
    address,
    verify: async () => void (await authenticate(app, secret)),
  };
}

export function isExpired({ expiresAt }: Token, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

/** SHA-256 as hex: a 256-bit random secret needs no salt and no slow hash. */
function hashToken(secret: string): string {
  return sha256(secret);
}
