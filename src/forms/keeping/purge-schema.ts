import * as z from "zod/mini";
import { SUBMISSION_LIMITS } from "../limits.ts";

const filled = (most: number) =>
  z.string().check(z.maxLength(most, `it is longer than ${most} characters`), z.regex(/\S/, "it is empty"));

/** Selection of a purge: by an address in any text, or by the value of a field. */
export const purgeSchema = z
  .strictObject({
    email: z.optional(
      filled(SUBMISSION_LIMITS.fieldValue).check(
        z.regex(/^\s*[^\s@]+@\S+\s*$/, "an address looks like ada@example.com"),
      ),
    ),
    field: z.optional(filled(SUBMISSION_LIMITS.fieldName)),
    value: z.optional(filled(SUBMISSION_LIMITS.fieldValue)),
    /** The slug or key of the only form to search. */
    form: z.optional(z.string()),
    /** The project of the forms to search. */
    project: z.optional(z.string()),
    /** Whether the submissions are only counted. */
    dryRun: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      ({ email, field, value }) =>
        (email === undefined) === (field !== undefined) && (field === undefined) === (value === undefined),
      "name either an email, or a field and a value",
    ),
  );

const count = z.int();

export const purgeResultSchema = z.object({
  dryRun: z.boolean(),
  /** Submissions that were deleted; in a dry run, that would be. */
  submissions: count,
  /** Their files. */
  files: count,
  /** Other submissions that are kept although a longer text in them contains the address. */
  mentions: count,
  /** Their ids, oldest first; the first 1,000. */
  ids: z.array(z.string()),
  /** The forms with such submissions, by slug and project. */
  forms: z.array(z.object({ project: z.string(), form: z.string(), submissions: count, files: count })),
});
