import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";

export const fileSchema = z.object({
  /** The name of the form field it came in. */
  field: z.string(),
  /** As the sender named it: for showing, never a path. */
  name: z.string(),
  /** Media type as the sender gave it, or from the extension. */
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
