import * as z from "zod/mini";
import {
  newTargetSchema,
  rotatedSecretSchema,
  rotationSchema,
  targetPatchSchema,
  targetSecretSchema,
  targetTestSchema,
  targetViewSchema,
} from "../../delivery/target-schema.ts";
import { formQuery, updatedResult, warnings } from "./shared-schema.ts";

export const list = { query: formQuery, output: z.object({ targets: z.array(targetViewSchema) }) };

export const add = {
  query: formQuery,
  body: newTargetSchema,
  output: z.extend(targetSecretSchema, warnings),
};

export const get = { output: targetViewSchema };

export const set = { body: targetPatchSchema, output: z.extend(targetViewSchema, updatedResult) };

export const test = { output: targetTestSchema };

export const rotate = { body: rotationSchema, output: rotatedSecretSchema };
