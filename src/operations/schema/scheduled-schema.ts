import * as z from "zod/mini";
import { newScheduledSchema, scheduledSchema } from "../../flags/schedule/schedule-schema.ts";
import { listQuery, nextSchema } from "./shared-schema.ts";

export const list = {
  query: z.strictObject({ ...listQuery.shape, environment: z.optional(z.string()) }),
  output: z.object({ scheduled: z.array(scheduledSchema), next: nextSchema }),
};

export const create = { body: newScheduledSchema, output: scheduledSchema };
