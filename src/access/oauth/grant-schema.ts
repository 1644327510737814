import * as z from "zod/mini";
import { timestamp } from "../../base/slug-schema.ts";
import { GRANT_SCOPES } from "./grant.ts";

/** An assistant that a person has signed in. */
export const grantSchema = z.object({
  id: z.string(),
  user: z.string(),
  /** The name that the client gives itself. */
  name: z.string(),
  /** The address of the client's document, or what its registration returned. */
  client: z.string(),
  scopes: z.array(z.enum(GRANT_SCOPES)),
  /** Null for every project that the user sees. */
  project: z.nullable(z.string()),
  /** Null for every environment. */
  environment: z.nullable(z.string()),
  createdAt: timestamp,
  /** To about ten minutes. */
  usedAt: timestamp,
  /** When it ends, unless it is used before. */
  expiresAt: timestamp,
});
