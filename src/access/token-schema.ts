import * as z from "zod/mini";
import { isOriginPattern } from "../base/origins.ts";
import { momentOf, slugOf, timestamp } from "../base/slug-schema.ts";
import { MAX_TOKEN_ORIGINS } from "./limits.ts";
import { SCOPES } from "./scope.ts";

const tokenName = slugOf("token");

const scope = z.enum(SCOPES, `a scope is one of ${SCOPES.join(", ")}`);

const origins = z
  .array(
    z
      .string()
      .check(z.refine(isOriginPattern, "an origin looks like https://example.com or https://*.example.com")),
  )
  .check(z.maxLength(MAX_TOKEN_ORIGINS, `a token has at most ${MAX_TOKEN_ORIGINS} origins`));

export const tokenSchema = z.object({
  name: tokenName,
  scopes: z.array(scope),
  /** Restricts the token to a project, or to one environment of it. */
  project: z.optional(z.string()),
  environment: z.optional(z.string()),
  /** The origins of pages that may use a token of the scope flags:browser; without them, any. */
  allowedOrigins: z.optional(z.array(z.string())),
  createdAt: timestamp,
  expiresAt: z.nullable(timestamp),
});

/** A token with its secret, which is shown this once. */
export const createdTokenSchema = z.extend(tokenSchema, { token: z.string() });

export const newTokenSchema = z.strictObject({
  name: tokenName,
  scopes: z.optional(z.array(scope).check(z.minLength(1, "a token needs at least one scope"))),
  project: z.optional(z.string()),
  environment: z.optional(z.string()),
  allowedOrigins: z.optional(origins),
  expiresAt: z.optional(z.nullable(momentOf("expiresAt"))),
});
