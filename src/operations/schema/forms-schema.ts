import * as z from "zod/mini";
import { formPatchSchema, formViewSchema, newFormSchema } from "../../forms/form-schema.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { createdResult, formQuery, listQuery, nextSchema, updatedResult } from "./shared-schema.ts";

export const list = {
  query: z.extend(listQuery, formQuery.shape),
  output: z.object({ forms: z.array(formViewSchema), next: nextSchema }),
};

export const create = { body: newFormSchema, output: z.extend(formViewSchema, createdResult) };

export const get = { query: formQuery, output: formViewSchema };

export const set = {
  query: formQuery,
  body: formPatchSchema,
  output: z.extend(formViewSchema, updatedResult),
};

export const test = { query: formQuery, output: submissionSchema };

const deletion = { query: formQuery };

export { deletion as delete };
