import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";

export const targetViewSchema = z.object({
  id: z.string(),
  /** The form's slug. */
  form: z.string(),
  /** `webhook` or a chat service. */
  kind: z.string(),
  /** Its URL, whose path and query are masked. */
  target: z.string(),
  enabled: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const newTargetSchema = z.strictObject({
  /** The URL of a webhook, or a chat service, a colon and its URL. */
  target: z.string(),
});

export const targetPatchSchema = z.strictObject({ enabled: z.boolean() });

/** The id of a target with its new secret, which is shown this once; null for a chat service. */
export const targetSecretSchema = z.object({ id: z.string(), secret: z.nullable(z.string()) });
