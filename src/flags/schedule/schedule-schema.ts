import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../../base/kinds/kinds-schema.ts";
import { momentOf, timestamp } from "../../base/slug-schema.ts";
import { flagPatchSchema } from "../flag-schema.ts";
import { SCHEDULE } from "./scheduled-change.ts";

/** A flag is archived and restored at once, for which every environment has to be changeable. */
const patch = z.omit(flagPatchSchema, { archived: true });

/** A change that lasts until a time. */
export const forSchema = z.strictObject({ patch, until: momentOf("until") });

export const newScheduledSchema = z.strictObject({ ...givenSchemas(SCHEDULE), patch });

export const scheduledSchema = z.object({
  id: z.string(),
  ...shownSchemas(SCHEDULE),
  environment: z.string(),
  flag: z.string(),
  patch: flagPatchSchema,
  who: z.string(),
  why: z.nullable(z.string()),
  createdAt: timestamp,
});
