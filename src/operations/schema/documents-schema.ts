import * as z from "zod/mini";
import { differenceSchema, documentSchema } from "../../documents/document-schema.ts";

const one = z.pipe(
  z.transform((value) => (typeof value === "string" ? [value] : value)),
  z.array(z.string()),
);

const exported = {
  /** Default: all projects, and the forms. */
  query: z.object({
    project: z.optional(one),
    forms: z.optional(z.enum(["true", "false"], "forms is true or false")),
  }),
  output: documentSchema,
};

export { exported as export };

export const apply = {
  body: z.strictObject({
    document: documentSchema,
    /** Returns what would change, and changes nothing. */
    dryRun: z.optional(z.boolean()),
    /** Deletes what the sections of the document do not name. */
    prune: z.optional(z.boolean()),
    /** Allows deletions that need a confirmation, such as of environments; locked environments are named in X-Confirm. */
    confirmed: z.optional(z.boolean()),
  }),
  output: z.object({
    changes: z.array(differenceSchema),
    /** Rules that flagd accepts but cannot evaluate, each with its path, and that mail waits for a mail server. */
    warnings: z.array(z.string()),
  }),
};
