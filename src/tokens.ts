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

export type Token = z.infer<typeof tokenSchema>;

export type CreatedToken = z.infer<typeof createdTokenSchema>;

export type NewToken = z.infer<typeof newTokenSchema>;

/** Makes a token; only its SHA-256 is stored. Throws `invalid` for an expiry that has passed, `conflict` for the name. */
export async function createToken(app: App, input: NewToken): Promise<CreatedToken> {
  const expiresAt = input.expiresAt == null ? null : Date.parse(input.expiresAt);
  const now = app.now();
  const { project, environment, scopes = ["admin" as const] } = input;
  const isBound = project !== undefined && environment !== undefined;
  if (isBound !== scopes.includes("flags:evaluate") || (isBound && scopes.length > 1)) {
    throw new AppError(
      "invalid",
      "the scope flags:evaluate stands alone, and names a project and an environment",
      {
        hint: "formflag tokens create app --scope flags:evaluate -p <project> -e <environment>",
      },
    );
  }
  if (expiresAt !== null && expiresAt <= now)
    throw new AppError("invalid", "a token must expire in the future");
  const secret = tokenSecret(app.random);
  const token = await app.store.tokens.insert({
    name: input.name,
    hash: hashToken(secret),
    scopes: [...new Set(scopes)],
    place: isBound ? { project, environment } : null,
    createdAt: now,
    expiresAt,
  });
  return { ...token, token: secret };
}

/** Who a secret belongs to. Throws `unauthenticated` for one that is unknown, revoked or expired. */
export async function authenticate(app: App, secret: string): Promise<Token & { keys?: EnvironmentKeys }> {
  const token = await app.store.tokens.find(hashToken(secret));
  if (!token) {
    throw new AppError("unauthenticated", "this token is not known here, or was revoked", {
      hint: "formflag tokens create makes one, on the machine that holds the data",
    });
  }
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= app.now()) {
    throw new AppError("unauthenticated", `the token "${token.name}" expired at ${token.expiresAt}`);
  }
  return token;
}

/** Throws `forbidden` unless one of the scopes is, or includes, the one needed. */
export function requireScope(token: Token, needed: Scope): void {
  if (token.scopes.some((held) => held === needed || INCLUDES[held].includes(needed))) return;
  throw new AppError("forbidden", `the token "${token.name}" lacks the scope ${needed}`, {
    hint: `it holds ${token.scopes.join(", ")}`,
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
