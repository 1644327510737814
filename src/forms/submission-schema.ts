import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";

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

export const submissionSchema = z.object({
  id: z.string(),
  /** The form's slug. */
  form: z.string(),
  data: z.record(z.string(), z.any()),
  files: z.array(fileSchema),
  createdAt: timestamp,
});
