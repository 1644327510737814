import * as z from "zod/mini";
import { HANDLING_LIMITS, MAX_SPAM_PATTERN } from "../../forms/limits.ts";
import { timelineEventSchema } from "../../forms/inbox/timeline-schema.ts";
import { importedColumns, submissionSchema } from "../../forms/submission-schema.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { formQuery } from "./shared-schema.ts";
import { exportQuery } from "./submission-query-schema.ts";

const exported = { query: exportQuery, output: z.array(submissionSchema) };

const imported = {
  query: formQuery,
  /** An object without `data` holds the fields themselves. */
  lines: z.object({
    /** A UUID. */
    id: z.optional(z.nullable(z.string())),
    data: z.record(z.string(), z.any()),
    createdAt: z.optional(z.nullable(z.string())),
    state: z.optional(z.enum(SUBMISSION_STATES)),
    spam: z.optional(z.nullable(z.string())),
    read: z.optional(z.boolean()),
    ...importedColumns,
  }),
  output: z.object({
    imported: z.int(),
    /** Submissions whose id is known. */
    skipped: z.int(),
    /** How many of these belong to other forms. */
    elsewhere: z.int(),
  }),
};

export { exported as export, imported as import };

export const get = { output: submissionSchema };

/** A text whose length the operation checks. */
const textOf = (maxLength: number) => z.string().check(z.meta({ maxLength }));

export const note = { body: z.strictObject({ text: textOf(HANDLING_LIMITS.note) }) };

export const block = {
  body: z.strictObject({
    /** A submission with it is spam from then on. Default: the sender is blocked. */
    word: z.optional(textOf(MAX_SPAM_PATTERN)),
  }),
  output: z.object({
    /** The word, or the address of the sender. */
    blocked: z.string(),
    /** The name of the form. */
    form: z.string(),
  }),
};

export const reply = {
  body: z.strictObject({
    text: textOf(HANDLING_LIMITS.answer),
    /** Default: `Re: ` and the name of the form. */
    subject: z.optional(textOf(HANDLING_LIMITS.subject)),
  }),
  output: z.object({
    /** The id of the delivery. */
    delivery: z.string(),
    /** The address of the sender. */
    to: z.string(),
  }),
};

export const timeline = { output: z.object({ events: z.array(timelineEventSchema) }) };
