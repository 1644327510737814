import * as z from "zod/mini";
import { momentOf, timestamp } from "../base/slug-schema.ts";
import { flagPatchSchema } from "./flag-schema.ts";

export const newScheduledSchema = z.strictObject({ at: momentOf("at"), patch: flagPatchSchema });

export const scheduledSchema = z.object({
  id: z.string(),
  at: timestamp,
  environment: z.string(),
  flag: z.string(),
  patch: flagPatchSchema,
  who: z.string(),
  createdAt: timestamp,
});
