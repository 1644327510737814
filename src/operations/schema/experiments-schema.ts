import * as z from "zod/mini";
import { givenSchemas } from "../../base/kinds/kinds-schema.ts";
import {
  experimentPatchSchema,
  experimentSchema,
  newExperimentSchema,
  resultsSchema,
} from "../../experiments/experiment-schema.ts";
import { SHIP } from "../../experiments/experiment-card.ts";
import { sharesSchema } from "../../flags/ramps/ramp-schema.ts";
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
  body: z.strictObject(givenSchemas(SHIP, { to: sharesSchema })),
  output: experimentSchema,
};

export const results = { output: resultsSchema };
