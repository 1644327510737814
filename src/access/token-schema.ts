import * as z from "zod/mini";
import { momentOf, slugOf, timestamp } from "../base/slug-schema.ts";
import { SCOPES } from "./scope.ts";

const tokenName = slugOf("token");

const scope = z.enum(SCOPES, `a scope is one of ${SCOPES.join(", ")}`);

export const tokenSchema = z.object({
  name: tokenName,
  scopes: z.array(scope),
  /** Restricts the token to a project, or to one environment of it. */
  project: z.optional(z.string()),
  environment: z.optional(z.string()),
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
  expiresAt: z.optional(z.nullable(momentOf("expiresAt"))),
});
