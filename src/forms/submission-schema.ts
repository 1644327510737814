import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { HANDLING_LIMITS, IMPORT_LIMITS } from "./limits.ts";
import { SUBMISSION_STATES } from "./submission-state.ts";

export const fileSchema = z.object({
  /** The name of the form field. */
  field: z.string(),
  /** The name that the sender chose: for display, never a path. */
  name: z.string(),
  /** The media type that the sender named, or that the extension implies. */
  type: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Hex. */
  sha256: z.string(),
});

export const metadataSchema = z.object({
  address: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  referrer: z.nullable(z.string()),
  language: z.nullable(z.string()),
});

export const seenFlagsSchema = z.object({
  /** The slugs of the environment of the flags. */
  project: z.string(),
  environment: z.string(),
  /** When the variants were evaluated. */
  at: timestamp,
  /** The variant of each flag. */
  variants: z.record(z.string(), z.string()),
});

const consentSchema = z.object({
  /** When the sender agreed: as the submission was sent, then as it was confirmed. */
  at: timestamp,
  /** A hash of the network of that request, by a secret of the server; null where none is known. */
  address: z.nullable(z.string()),
  /** The text that the form showed. */
  text: z.string().check(z.meta({ maxLength: IMPORT_LIMITS.consent })),
});

/** The schemas of the columns in `submission-columns.ts`. */
const columns = {
  /** Metadata of the sender; null if the form records none. */
  meta: z.nullable(metadataSchema),
  /** The variants of flags that the sender got; null if none came with the submission. */
  flags: z.nullable(seenFlagsSchema),
  /** Why an external check of the form gave no verdict; null if all that were asked did. */
  unchecked: z.nullable(z.string()),
  /** The user who looks after it; null for none. */
  assignee: z.nullable(z.string()),
  labels: z.array(z.string()),
  /** When the sender confirmed it; null for a form that does not ask. */
  confirmedAt: z.nullable(timestamp),
  /** When the sender unsubscribed; null for not. */
  unsubscribedAt: z.nullable(timestamp),
  /** The consent of the sender; null for a form that does not ask. */
  consent: z.nullable(consentSchema),
};

/** Labels of an input, whose limits the operation checks. */
const limitedLabels = z
  .array(z.string().check(z.meta({ maxLength: HANDLING_LIMITS.label })))
  .check(z.meta({ maxItems: HANDLING_LIMITS.labels }));

/** The columns in the lines of an import. */
export const importedColumns = z.partial(z.object({ ...columns, labels: z.nullable(limitedLabels) })).shape;

export const submissionSchema = z.object({
  id: z.string(),
  /** The slug of the form's project. */
  project: z.string(),
  /** The form's slug. */
  form: z.string(),
  data: z.record(z.string(), z.any()),
  files: z.array(fileSchema),
  createdAt: timestamp,
  state: z.enum(SUBMISSION_STATES),
  /** Why it was filed as spam, such as `honeypot`, `word:casino` or, marked by hand, `manual`; null for any other. */
  spam: z.nullable(z.string()),
  /** False until it is marked as read. */
  read: z.boolean(),
  ...columns,
});
