import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { DELIVERY_STATUSES } from "./delivery-status.ts";

export const deliverySchema = z.object({
  id: z.string(),
  /** The id of the submission; null for a delivery of notices. */
  submission: z.nullable(z.string()),
  /** The slug of the project, or of the form's. */
  project: z.string(),
  /** The form's slug; null for a delivery of notices. */
  form: z.nullable(z.string()),
  /** The environment of a notice; null for one of all, and for a submission. */
  environment: z.nullable(z.string()),
  /** The event of a notice, or `digest` for several; null for a submission. */
  event: z.nullable(z.string()),
  /** `webhook`, `mail`, a chat service, `notification`, `autoreply`, `reply`, `confirmation` or `welcome`. */
  kind: z.string(),
  /** The id of the target, or the mail address. */
  target: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  /** Attempts that have ended. */
  attempts: z.int(),
  /** When it is attempted next; null once it has ended, and while it waits for a mail server. */
  nextAt: z.nullable(timestamp),
  /** The HTTP status or SMTP reply code of the last attempt; null if there was no answer. */
  code: z.nullable(z.int()),
  /** Why the last attempt failed, or why it waits; null for neither. */
  error: z.nullable(z.string()),
});

/** An attempt that has ended. */
export const attemptSchema = z.object({
  /** When it began. */
  at: timestamp,
  /** Milliseconds. */
  duration: z.int(),
  /** The HTTP status or SMTP reply code; null if there was no answer. */
  code: z.nullable(z.int()),
  /** Why it failed; null if it did not. */
  error: z.nullable(z.string()),
});

/** A delivery with its newest attempts, oldest first; those before a retry too. */
export const deliveryDetailsSchema = z.extend(deliverySchema, { history: z.array(attemptSchema) });
