import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { flagSlug } from "./flag-schema.ts";

const reason = z.enum(["expired", "settled", "unread", "unreferenced"]);

/** A stale flag: one that looks finished, with every reason. */
export const staleFlagSchema = z.object({
  slug: flagSlug,
  /** Null if the flag is stale in every environment. */
  environment: z.nullable(z.string()),
  reasons: z.array(reason),
  /** When the first of the reasons began to apply. */
  since: timestamp,
  /** Whether it can be removed: `flags cleanup` calls it finished. Only where that is asked for. */
  removable: z.optional(z.boolean()),
});

/** The branch that the code keeps of a flag that is finished. */
export const keepSchema = z.object({
  /** The variant that everyone gets; null for the default of the code. */
  variant: z.nullable(z.string()),
  value: z.any(),
  /** The payload that comes with it; null for none. */
  payload: z.any(),
  /** Both in words, such as `keep the true branch`. */
  text: z.string(),
});

export type Keep = z.infer<typeof keepSchema>;
export type StaleReason = z.infer<typeof reason>;
export type StaleFlag = z.infer<typeof staleFlagSchema>;
