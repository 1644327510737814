import * as z from "zod/mini";
import { newScheduledSchema, scheduledSchema } from "../../flags/schedule/schedule-schema.ts";
import { listQuery, nextSchema } from "./shared-schema.ts";
import { rampSchema, rampStartSchema } from "../../flags/ramps/ramp-schema.ts";

/** Of a project, or of one of its environments. */
const query = z.strictObject({ ...listQuery.shape, environment: z.optional(z.string()) });

export const scheduled = {
  list: {
    query,
    output: z.object({ scheduled: z.array(scheduledSchema), next: nextSchema }),
  },
  create: { body: newScheduledSchema, output: scheduledSchema },
};

export const ramps = {
  list: {
    query,
    output: z.object({ ramps: z.array(rampSchema), next: nextSchema }),
  },
  start: { body: rampStartSchema, output: rampSchema },
  get: { output: rampSchema },
  pause: { output: rampSchema },
  resume: { output: rampSchema },
  next: { output: rampSchema },
  finish: { output: rampSchema },
  abort: {
    body: z.strictObject({
      /** Leaves the flag as the ramp has left it, in place of giving it the share from before the ramp. */
      keep: z.optional(z.boolean("keep is true or false")),
    }),
    output: rampSchema,
  },
};
