import type { App } from "../app.ts";
import { AppError } from "../base/errors.ts";
import type { EnvironmentKeys, Reach, TokenPlace } from "./place.ts";
import { PLACED_SCOPES, type Scope } from "./scope.ts";
import { type CreatedToken, type NewToken, type Token, tokenSecret } from "./token.ts";

/**
 * Makes a token; only its SHA-256 is stored. Throws `invalid` for an expiry that has passed and for a scope that cannot
 * be limited to the place named, `not_found` for the place, `conflict` for the name.
 */
export async function createToken(app: App, input: NewToken): Promise<CreatedToken> {
  const expiresAt = input.expiresAt == null ? null : Date.parse(input.expiresAt);
  const now = app.now();
  const { scopes = ["admin" as const] } = input;
  const place = placeOf(input, scopes);
  if (expiresAt !== null && expiresAt <= now)
    throw new AppError("invalid", "a token must expire in the future");
  const secret = tokenSecret(app.random);
  const token = await app.store.tokens.insert({
    name: input.name,
    hash: hashToken(secret),
    scopes: [...new Set(scopes)],
    place,
    createdAt: now,
    expiresAt,
  });
  return { ...token, token: secret };
}

/** What the scopes are to be limited to; null for nothing. Throws `invalid` for scopes that cannot be. */
function placeOf({ project, environment }: Reach, scopes: readonly Scope[]): TokenPlace | null {
  const isForEvaluation = scopes.includes("flags:evaluate");
  if (isForEvaluation && (project === undefined || environment === undefined || scopes.length > 1)) {
    throw new AppError(
      "invalid",
      "the scope flags:evaluate stands alone, and names a project and an environment",
      {
        hint: "formflag tokens create app --scope flags:evaluate -p <project> -e <environment>",
      },
    );
  }
  if (project === undefined) {
    if (environment === undefined) return null;
    throw new AppError("invalid", "an environment is named without its project");
  }
  const unlimited = scopes.find((scope) => !PLACED_SCOPES.includes(scope));
  if (unlimited === undefined) return { project, environment };
  throw new AppError("invalid", `the scope ${unlimited} cannot be limited to a project or an environment`, {
    hint: `these can: ${PLACED_SCOPES.join(", ")}`,
  });
}

/** The token of a secret, with its hash. Throws `unauthenticated` for one that is unknown, revoked or expired. */
export async function authenticate(
  app: App,
  secret: string,
): Promise<Token & { keys?: EnvironmentKeys; hash: string }> {
  const hash = hashToken(secret);
  const token = await app.store.tokens.find(hash);
  if (!token) {
    throw new AppError("unauthenticated", "this token is not known here, or was revoked", {
      hint: "formflag tokens create makes one, on the machine that holds the data",
    });
  }
  if (isExpired(token, app.now())) {
    throw new AppError("unauthenticated", `the token "${token.name}" expired at ${token.expiresAt}`);
  }
  return { ...token, hash };
}

export function isExpired({ expiresAt }: Token, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

/** SHA-256 as hex: a 256-bit random secret needs no salt and no slow hash. */
function hashToken(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}
