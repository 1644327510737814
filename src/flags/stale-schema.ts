import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { flagSlug } from "./flag-schema.ts";

const reason = z.enum(["expired", "settled", "unread", "unreferenced"]);

/** A stale flag: one that looks finished, with every reason. */
export const staleFlagSchema = z.object({
  slug: flagSlug,
  /** Null where the flag is stale in every environment. */
  environment: z.nullable(z.string()),
  reasons: z.array(reason),
  /** When the first of the reasons began to apply. */
  since: timestamp,
});

export type StaleReason = z.infer<typeof reason>;
export type StaleFlag = z.infer<typeof staleFlagSchema>;
