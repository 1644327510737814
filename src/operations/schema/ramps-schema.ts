import * as z from "zod/mini";
import { rampPlanSchema, rampSchema } from "../../flags/ramps/ramp-schema.ts";
import { listQuery, nextSchema } from "./shared-schema.ts";

export const list = {
  query: z.strictObject({ ...listQuery.shape, environment: z.optional(z.string()) }),
  output: z.object({ ramps: z.array(rampSchema), next: nextSchema }),
};

export const start = { body: rampPlanSchema, output: rampSchema };

export const get = { output: rampSchema };

export const pause = { output: rampSchema };

export const resume = { output: rampSchema };

export const next = { output: rampSchema };

export const finish = { output: rampSchema };

export const abort = {
  body: z.strictObject({
    /** Leaves the flag as the ramp has left it, in place of giving it the share from before the ramp. */
    keep: z.optional(z.boolean("keep is true or false")),
  }),
  output: rampSchema,
};
