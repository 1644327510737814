import * as z from "zod/mini";
import {
  newProjectSchema,
  projectPatchSchema,
  projectSchema,
  usageSchema,
} from "../../projects/project-schema.ts";
import { createdResult, listQuery, nextSchema, updatedResult } from "./shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ projects: z.array(projectSchema), next: nextSchema }),
};

export const create = { body: newProjectSchema, output: z.extend(projectSchema, createdResult) };

/** `usage` is null for a caller who may not read its submissions; a server of an earlier version sends none. */
export const get = { output: z.extend(projectSchema, { usage: z.optional(z.nullable(usageSchema)) }) };

export const set = { body: projectPatchSchema, output: z.extend(projectSchema, updatedResult) };
