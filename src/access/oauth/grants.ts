import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { dashedKey } from "../../base/ids.ts";
import { type PageQuery, everyItem } from "../../base/pages.ts";
import { sha256 } from "../../base/sum.ts";
import { type Caller, authorOf, isSelf } from "../caller.ts";
import { GRANT_LIMITS } from "../limits.ts";
import { grantsOf } from "../members/member.ts";
import { requireScope } from "../rights.ts";
import { signInSecret } from "../session.ts";
import type { AccessApp } from "../store.ts";
import { noSuchUser } from "../user.ts";
import {
  ACCESS_PREFIX,
  type GrantPlace,
  type OAuthGrant,
  REFRESH_PREFIX,
  grantsWithin,
  noSuchGrant,
  scopesWithin,
} from "./grant.ts";
import type { FoundGrant, IssuedTokens, PresentedCode } from "./grant-store.ts";
import { refusal } from "./refusal.ts";

/** The rights that a person gives a client, and the address to which the code goes. */
export type Allowed = Pick<OAuthGrant, "client" | "clientName" | "redirect" | "resource"> &
  GrantPlace & { challenge: string };

/** Tokens as a client gets them (RFC 6749, 5.1). */
export type Tokens = {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
};

/** How old the time may be at which a grant was last used, in milliseconds: each update is a write. */
const USED_MS = 600_000;

/**
 * Lets a client act for the caller, and returns the code for it. Throws `forbidden` for scopes that the caller does not
 * hold there, and for a caller that is an assistant.
 */
export async function allowClient(
  app: AccessApp,
  caller: Caller,
  { challenge, ...allowed }: Allowed,
): Promise<string> {
  const { session, name } = caller;
  if (session === undefined) throw new AppError("forbidden", "only a person can sign an assistant in");
  if (allowed.environment !== null && allowed.project === null)
    throw new AppError("invalid", "choose the project of the environment too");
  const held = scopesWithin(grantsWithin(allowed, caller.grants));
  const missing = allowed.scopes.find((scope) => scope !== "read" && !held.includes(scope));
  if (missing !== undefined || held.length === 0)
    throw new AppError("forbidden", `you do not hold ${missing ?? "any of these rights"} there`, {
      reason: "scope-not-held",
    });
  const now = app.now();
  const code = signInSecret(app.random);
  const grant: OAuthGrant = {
    ...allowed,
    id: dashedKey(app.random),
    user: name,
    createdAt: now,
    usedAt: now,
    expiresAt: now + GRANT_LIMITS.codeSeconds * 1000,
  };
  const stored = { grant, hash: sha256(code), challenge, session: session.id };
  if (!(await app.store.grants.insert(stored, GRANT_LIMITS.perUser))) throw noSuchUser(name);
  return code;
}

/** A code as a client sends it, with its verifier. */
export type SentCode = Omit<PresentedCode, "hash" | "challenge"> & { code: string; verifier: string };

/** A verifier (RFC 7636, 4.1). */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** Exchanges a code for tokens. Throws `invalid_grant` (RFC 6749, 5.2), and `invalid_request` for a malformed verifier. */
export async function exchangeCode(
  app: AccessApp,
  { code, verifier, ...presented }: SentCode,
  address: string,
): Promise<Tokens> {
  if (!VERIFIER.test(verifier))
    throw refusal("invalid_request", "a code_verifier has 43 to 128 letters, digits, and - . _ ~");
  const { tokens, issued } = newTokens(app, signInSecret(app.random));
  const challenge = challengeOf(verifier);
  const found = await app.store.grants.start({ ...presented, hash: sha256(code), challenge }, issued, {
    at: app.now(),
    address,
  });
  if (!found) throw refusal("invalid_grant", "the code is unknown, expired or spent");
  return tokens(found);
}

/** The challenge of a verifier (RFC 7636, 4.2: S256). */
function challengeOf(verifier: string): string {
  return new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
}

/**
 * Replaces the tokens of a grant. Throws `invalid_grant`. A client whose answer was lost may ask again, and the tokens of
 * that answer end.
 */
export async function refreshTokens(
  app: AccessApp,
  { token, ...presented }: { token: string; client: string; resource: string | null },
  address: string,
): Promise<Tokens> {
  const parts = partsOf(token);
  if (parts === null) throw refusal("invalid_grant", "this is not a refresh token");
  const { tokens, issued } = newTokens(app, parts.family);
  const hashes = { family: issued.family, refresh: sha256(parts.secret) };
  const by = { at: app.now(), address };
  const found = await app.store.grants.refresh({ ...presented, ...hashes }, issued, by);
  if (!found) throw refusal("invalid_grant", "the refresh token is unknown, expired or spent");
  return tokens(found);
}

/** A refresh token has a part that all of its grant share, and one of its own. */
function partsOf(token: string): { family: string; secret: string } | null {
  const [, family, secret] = /^ffr_([\w-]{43})\.([\w-]{43})$/.exec(token) ?? [];
  return family === undefined || secret === undefined ? null : { family, secret };
}

/** New tokens of the grant whose refresh tokens share `family`: their hashes, and what the client gets. */
function newTokens(
  { now, random }: AccessApp,
  family: string,
): { issued: IssuedTokens; tokens: (grant: OAuthGrant) => Tokens } {
  const access = `${ACCESS_PREFIX}${signInSecret(random)}`;
  const secret = signInSecret(random);
  const at = now();
  const { accessSeconds, idleDays } = GRANT_LIMITS;
  return {
    issued: {
      access: sha256(access),
      accessExpiresAt: at + accessSeconds * 1000,
      family: sha256(family),
      refresh: sha256(secret),
      expiresAt: at + idleDays * 86_400_000,
    },
    tokens: ({ scopes }) => ({
      access_token: access,
      token_type: "Bearer",
      expires_in: accessSeconds,
      refresh_token: `${REFRESH_PREFIX}${family}.${secret}`,
      scope: scopes.join(" "),
    }),
  };
}

/** Ends the grant of a client by one of its tokens (RFC 7009). A token that does not count is ignored. */
export async function revokeByToken(
  app: AccessApp,
  token: string,
  client: string,
  address: string,
): Promise<void> {
  const by = { at: app.now(), address };
  await app.store.grants.deleteBySecret(sha256(partsOf(token)?.family ?? token), client, by);
}

/**
 * The caller that presents an access token at a resource: the person who allowed it, by way of the client, with the lesser
 * of the rights that were given and that the person has now. Throws `unauthenticated`.
 */
export async function assistantCaller(
  app: AccessApp,
  secret: string,
  resource: string,
): Promise<Omit<Caller, "hasConfirmed">> {
  const hash = sha256(secret);
  const found = await readGrant(app, hash, resource);
  const { grant, accessExpiresAt } = found;
  const grants = rightsOf(found);
  await noteUse(app, hash, found);
  return {
    name: grant.user,
    type: "user",
    via: grant.clientName,
    grants,
    expiresAt: isoTime(accessExpiresAt),
    async verify() {
      if (Bun.deepEquals(rightsOf(await readGrant(app, hash, resource)), grants)) return;
      throw new AppError("forbidden", "your rights were changed: try again", { reason: "role-changed" });
    },
  };
}

function rightsOf({ grant, user, memberships }: FoundGrant) {
  return grantsWithin(grant, grantsOf(user.role, memberships));
}

async function readGrant({ store, now }: AccessApp, hash: string, resource: string): Promise<FoundGrant> {
  const found = await store.grants.find(hash);
  if (found && found.accessExpiresAt > now() && found.grant.resource === resource) return found;
  throw new AppError("unauthenticated", "this token is not known here, has expired, or was revoked", {
    reason: "token-unknown",
  });
}

async function noteUse(
  { store, now }: AccessApp,
  access: string,
  { grant, isUnused }: FoundGrant,
): Promise<void> {
  const at = now();
  if (!isUnused && at - grant.usedAt < USED_MS) return;
  try {
    await store.grants.markUsed(access, at);
  } catch (error) {
    // With a full disk assistants can still read.
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * The assistants of a user, or with null of everybody, that have not ended; the one used last comes first. Throws
 * `forbidden` unless they are the caller's own or the caller is an admin, and `not_found`.
 */
export async function listGrants(app: AccessApp, caller: Caller, user: string | null): Promise<OAuthGrant[]> {
  if (user === null || !isSelf(caller, user)) requireScope(caller, "admin");
  if (user !== null && !(await app.store.users.find(user))) throw noSuchUser(user);
  const page = (last: OAuthGrant | undefined) => {
    const query: PageQuery = { limit: 1000, after: last?.id };
    return app.store.grants.page(user, query);
  };
  const now = app.now();
  const found = (await everyItem(page)).filter(({ expiresAt }) => expiresAt > now);
  return found.toSorted((a, b) => b.usedAt - a.usedAt);
}

/** Ends a grant. Throws `forbidden` unless it is the caller's own or the caller is an admin, and `not_found`. */
export async function revokeGrant(app: AccessApp, caller: Caller, id: string): Promise<void> {
  const grant = await app.store.grants.findById(id);
  if (!grant || !isSelf(caller, grant.user)) requireScope(caller, "admin");
  if (!(await app.store.grants.delete(id, authorOf(caller, app.now())))) throw noSuchGrant(id);
}
