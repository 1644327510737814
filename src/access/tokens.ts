import type { Find } from "../base/changes.ts";
import { AppError } from "../base/errors.ts";
import { isoTime } from "../base/clock.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import { sha256 } from "../base/sum.ts";
import type { Caller } from "./caller.ts";
import type { AccessChange } from "./change.ts";
import { change, type Plan } from "./door.ts";
import type { Reach, TokenPlace } from "./place.ts";
import { LONE_SCOPES, PLACED_SCOPES, type Scope } from "./scope.ts";
import type { AccessApp, FoundToken } from "./store.ts";
import {
  hasScope,
  requireScope,
  requireScopeForNamed,
  requireScopeSomewhere,
  visibleProjects,
} from "./rights.ts";
import { type CreatedToken, grantOf, type NewToken, noSuchToken, type Token, tokenSecret } from "./token.ts";

/**
 * Creates a token; only the SHA-256 of its secret is stored. The admin of a project creates some that are limited to it.
 * Throws `invalid` for an expiry in the past and for a scope that cannot be limited to the place, `not_found` for the place,
 * `conflict` for the name of another token of the project, or for one without a project of another such token or a user,
 * `forbidden`.
 */
export async function createToken(app: AccessApp, caller: Caller, input: NewToken): Promise<CreatedToken> {
  requireScope(caller, "admin", { project: input.project });
  const { name, scopes = ["admin" as const] } = input;
  const place = placeOf(input, scopes);
  const { allowedOrigins = [] } = input;
  if (allowedOrigins.length > 0 && !scopes.includes("flags:browser"))
    throw new AppError("invalid", "only a token of the scope flags:browser has allowed origins");
  const expiresAt = input.expiresAt == null ? null : Date.parse(input.expiresAt);
  return change(app, caller, async ({ at }): Promise<Plan<AccessChange, CreatedToken>> => {
    if (expiresAt !== null && expiresAt <= at)
      throw new AppError("invalid", "a token must expire in the future");
    await requireFree(app, name, place?.project);
    const secret = tokenSecret(app.random);
    const token: Token = {
      name,
      scopes: [...new Set(scopes)],
      ...place,
      ...(allowedOrigins.length > 0 && { allowedOrigins: [...new Set(allowedOrigins)] }),
      createdAt: isoTime(at),
      expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    };
    return {
      changes: [{ change: "insertToken", token, hash: hashToken(secret) }],
      result: { ...token, token: secret },
    };
  });
}

/** Throws `conflict` for a name that is in use. Names elsewhere are free in a project, whose admin does not learn of them. */
async function requireFree({ store }: AccessApp, name: string, project: string | undefined): Promise<void> {
  if ((await store.tokens.named(name)).some((token) => token.project === project))
    throw new AppError("conflict", `token "${name}" already exists`, { reason: "token-exists" });
  if (project === undefined && (await store.users.find(name)))
    throw new AppError("conflict", `the name "${name}" is that of a user`, { reason: "name-taken" });
}

/**
 * Revokes a token, which is refused from then on. Without a project it is the one of that name that is limited to none, else
 * the only one that the caller may revoke. Throws `not_found`, `conflict` if there are several, `forbidden`.
 */
export async function revokeToken(
  app: AccessApp,
  caller: Caller,
  name: string,
  project?: string,
): Promise<void> {
  if (project === undefined) requireScopeForNamed(caller, "admin");
  else requireScope(caller, "admin", { project });
  return change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    const found = (await app.store.tokens.named(name)).filter(
      (token) =>
        hasScope(caller, "admin", { project: token.project }) &&
        (project === undefined || token.project === project),
    );
    const token = found.find((each) => each.project === undefined) ?? found[0];
    if (!token) throw noSuchToken(name);
    if (token.project !== undefined && found.length > 1)
      throw new AppError("conflict", `several projects have a token "${name}": ${placesOf(found)}`, {
        reason: "token-ambiguous",
        hint: "name the project too",
      });
    return { changes: [{ change: "deleteToken", name, limitedTo: token.project }], result: undefined };
  });
}

function placesOf(tokens: readonly Token[]): string {
  return tokens.map(({ project }) => project).join(", ");
}

/** The tokens of a project, or of every project that the caller administers. Throws `forbidden`. */
export async function listTokens(
  app: AccessApp,
  caller: Caller,
  query: PageQuery,
  project?: string,
): Promise<Page<Token>> {
  if (project === undefined) requireScopeSomewhere(caller, "admin");
  else requireScope(caller, "admin", { project });
  return app.store.tokens.page(query, project === undefined ? visibleProjects(caller, "admin") : [project]);
}

const LONE_REASONS = {
  "flags:evaluate": "evaluate-alone",
  "flags:browser": "browser-alone",
  "flags:sync": "sync-alone",
} as const;

/** The place that the scopes are limited to; null for none. Throws `invalid` for scopes that cannot be limited to it. */
function placeOf({ project, environment }: Reach, scopes: readonly Scope[]): TokenPlace | null {
  const lone = LONE_SCOPES.find((scope) => scopes.includes(scope));
  if (lone && (project === undefined || environment === undefined || scopes.length > 1)) {
    throw new AppError(
      "invalid",
      `the scope ${lone} needs a project and an environment, and excludes other scopes`,
      { reason: LONE_REASONS[lone] },
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
  const unlimited = environment !== undefined && scopes.find((scope) => !PLACED_SCOPES.includes(scope));
  if (!unlimited) return { project, environment };
  throw new AppError("invalid", `the scope ${unlimited} cannot be limited to an environment`, {
    hint: `these can: ${PLACED_SCOPES.filter((scope) => scope !== "flags:refs").join(", ")}`,
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
    expiresAt: token.expiresAt,
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
