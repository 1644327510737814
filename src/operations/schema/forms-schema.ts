import * as z from "zod/mini";
import { formPatchSchema, formViewSchema, newFormSchema } from "../../forms/form-schema.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { createdResult, listQuery, nextSchema, updatedResult } from "./shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ forms: z.array(formViewSchema), next: nextSchema }),
};

export const create = { body: newFormSchema, output: z.extend(formViewSchema, createdResult) };

export const get = { output: formViewSchema };

export const set = { body: formPatchSchema, output: z.extend(formViewSchema, updatedResult) };

export const test = { output: submissionSchema };
