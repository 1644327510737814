import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { flagSlug } from "./flag-schema.ts";

const reason = z.enum(["expired", "settled", "unread"]);

/** A flag that looks finished, with every reason for that. */
export const staleFlagSchema = z.object({
  slug: flagSlug,
  /** Null where it looks so in every environment. */
  environment: z.nullable(z.string()),
  reasons: z.array(reason),
  /** When the first of the reasons came about. */
  since: timestamp,
});

export type StaleReason = z.infer<typeof reason>;
export type StaleFlag = z.infer<typeof staleFlagSchema>;
