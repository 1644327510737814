import * as z from "zod/mini";
import { MAX_ADDRESS } from "./address.ts";

export const newMailTestSchema = z.strictObject({
  /** One mail address. */
  address: z.string().check(z.meta({ maxLength: MAX_ADDRESS })),
});

export const mailTestSchema = z.object({
  /** The Message-ID. */
  id: z.string(),
  /** The address in From. */
  from: z.string(),
  /** Whether the mail server accepted the message. */
  delivered: z.boolean(),
  /** The reply code of the mail server; null if there was none. */
  code: z.nullable(z.int()),
  /** Why it was not delivered; null if it was. */
  error: z.nullable(z.string()),
});
