import * as z from "zod/mini";
import { momentOf, timestamp } from "../../base/slug-schema.ts";
import { flagPatchSchema } from "../flag-schema.ts";

/** A change that lasts until a time. */
export const forSchema = z.strictObject({ patch: flagPatchSchema, until: momentOf("until") });

export const newScheduledSchema = z.strictObject({ at: momentOf("at"), patch: flagPatchSchema });

export const scheduledSchema = z.object({
  id: z.string(),
  at: timestamp,
  environment: z.string(),
  flag: z.string(),
  patch: flagPatchSchema,
  who: z.string(),
  why: z.nullable(z.string()),
  createdAt: timestamp,
});
