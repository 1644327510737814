import * as z from "zod/mini";
import { MAX_LIST } from "../../base/pages.ts";
import {
  codeReferencesSchema,
  uploadSchema,
  uploadedSchema,
} from "../../flags/code/code-reference-schema.ts";
import { limitOf, nextSchema } from "./shared-schema.ts";

export const list = {
  query: z.strictObject({
    flag: z.optional(z.string()),
    branch: z.optional(z.string()),
    projectName: z.optional(z.string()),
    limit: limitOf(MAX_LIST, MAX_LIST),
    after: z.optional(z.string()),
  }),
  output: z.object({ references: z.array(codeReferencesSchema), next: nextSchema }),
};

export const upload = { upload: uploadSchema, output: uploadedSchema };

const removed = { query: z.strictObject({ branch: z.string(), projectName: z.optional(z.string()) }) };

export { removed as delete };
