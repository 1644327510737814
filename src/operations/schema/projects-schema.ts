import * as z from "zod/mini";
import { newProjectSchema, projectPatchSchema, projectSchema } from "../../projects/project-schema.ts";
import { createdResult, listQuery, nextSchema, updatedResult } from "./shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ projects: z.array(projectSchema), next: nextSchema }),
};

export const create = { body: newProjectSchema, output: z.extend(projectSchema, createdResult) };

export const get = { output: projectSchema };

export const set = { body: projectPatchSchema, output: z.extend(projectSchema, updatedResult) };
