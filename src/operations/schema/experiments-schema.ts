import * as z from "zod/mini";
import {
  experimentPatchSchema,
  experimentSchema,
  newExperimentSchema,
  resultsSchema,
} from "../../experiments/experiment-schema.ts";
import { rampPlanSchema, sharesOf } from "../../flags/ramps/ramp-schema.ts";
import { listQuery, nextSchema } from "./shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ experiments: z.array(experimentSchema), next: nextSchema }),
};

export const create = { body: newExperimentSchema, output: experimentSchema };

export const get = { output: experimentSchema };

export const set = { body: experimentPatchSchema, output: experimentSchema };

export const start = { output: experimentSchema };

export const pause = { output: experimentSchema };

export const resume = { output: experimentSchema };

export const stop = { output: experimentSchema };

export const ship = {
  body: z.strictObject({
    variant: z.string("variant is the name of the variant for everyone"),
    to: z.optional(sharesOf("Shares of a ramp, in percent. Default: the variant is the default at once.")),
    every: z.optional(rampPlanSchema.shape.every),
  }),
  output: experimentSchema,
};

export const results = { output: resultsSchema };
