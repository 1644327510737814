import type * as z from "zod/mini";
import type { App } from "./app.ts";
import { AppError } from "./errors.ts";
import { tokenSecret } from "./keys.ts";
import type { EnvironmentKeys } from "./store.ts";
import type { createdTokenSchema, newTokenSchema, tokenSchema } from "./schemas/tokens.ts";

export const SCOPES = [
  "admin",
  "read",
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
  "forms:read",
  "forms:write",
] as const;

export type Scope = (typeof SCOPES)[number];

/** What each scope includes beside itself. */
const INCLUDES: Record<Scope, readonly Scope[]> = {
  admin: SCOPES,
  read: ["flags:read", "forms:read"],
  "flags:read": [],
  "flags:write": ["flags:read"],
  // Changes what is in locked environments too.
  "flags:locked": ["flags:write", "flags:read"],
  // Bound to one environment, and for OFREP alone.
  "flags:evaluate": [],
  "forms:read": [],
  "forms:write": ["forms:read"],
};

/** Scopes of what lies in a project: a token can be limited to one of them, the others reach everything. */
const PLACED_SCOPES: readonly Scope[] = ["flags:read", "flags:write", "flags:locked", "flags:evaluate"];

/** A project, or one environment of it. */
export type TokenPlace = { project: string; environment?: string | undefined };

/** Where an operation acts: without a project on everything. */
type Reach = { project?: string | undefined; environment?: string | undefined };

export type Token = z.infer<typeof tokenSchema>;

export type CreatedToken = z.infer<typeof createdTokenSchema>;

export type NewToken = z.infer<typeof newTokenSchema>;

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

/**
 * Throws `forbidden` unless one of the scopes is, or includes, the one needed, and the token is not limited to another
 * place than `where` the operation acts.
 */
export function requireScope(token: Token, needed: Scope, where: Reach = {}): void {
  if (!token.scopes.some((held) => held === needed || INCLUDES[held].includes(needed))) {
    throw new AppError("forbidden", `the token "${token.name}" lacks the scope ${needed}`, {
      hint: `it holds ${token.scopes.join(", ")}`,
    });
  }
  const { project, environment } = token;
  const isWithin =
    (project === undefined || project === where.project) &&
    (environment === undefined || environment === where.environment);
  if (isWithin) return;
  const place =
    environment === undefined ? `project ${project}` : `environment ${environment} of project ${project}`;
  throw new AppError("forbidden", `the token "${token.name}" is limited to the ${place}`, {
    hint: "formflag tokens list shows what each token is limited to",
  });
}

export function noSuchToken(name: string): AppError {
  return new AppError("not_found", `token "${name}" does not exist`, {
    hint: "formflag tokens list shows the tokens there are",
  });
}

/** SHA-256 as hex: a 256-bit random secret needs no salt and no slow hash. */
function hashToken(secret: string): string {
  return new Bun.CryptoHasher("sha256").update(secret).digest("hex");
}
