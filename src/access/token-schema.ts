import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../base/kinds/kinds-schema.ts";
import { isOriginPattern } from "../base/origins.ts";
import { slugOf, timestamp } from "../base/slug-schema.ts";
import { MAX_TOKEN_ORIGINS } from "./limits.ts";
import { TOKEN } from "./token-card.ts";

const tokenName = slugOf("token");

const shown = shownSchemas(TOKEN);

const origins = z
  .array(
    z
      .string()
      .check(z.refine(isOriginPattern, "an origin looks like https://example.com or https://*.example.com")),
  )
  .check(z.maxLength(MAX_TOKEN_ORIGINS, `a token has at most ${MAX_TOKEN_ORIGINS} origins`));

export const tokenSchema = z.object({
  name: tokenName,
  scopes: shown.scopes,
  project: z.optional(shown.project),
  environment: z.optional(shown.environment),
  allowedOrigins: z.optional(shown.allowedOrigins),
  createdAt: timestamp,
  expiresAt: shown.expiresAt,
});

/** A token with its secret, which is shown this once. */
export const createdTokenSchema = z.extend(tokenSchema, { token: z.string() });

export const newTokenSchema = z.strictObject(
  givenSchemas(TOKEN, { name: tokenName, allowedOrigins: origins }),
);
