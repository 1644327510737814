import * as z from "zod/mini";
import {
  environmentPatchSchema,
  environmentSchema,
  newEnvironmentSchema,
} from "../../projects/environment-schema.ts";
import { createdResult, updatedResult } from "./shared-schema.ts";

export const list = { output: z.object({ environments: z.array(environmentSchema) }) };

export const create = { body: newEnvironmentSchema, output: z.extend(environmentSchema, createdResult) };

export const get = { output: environmentSchema };

export const set = { body: environmentPatchSchema, output: z.extend(environmentSchema, updatedResult) };
