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
  /** The DNS records of the sender's domain; null for a domain that has no records, such as shop.example. */
  sender: z.nullable(
    z.object({
      domain: z.string(),
      records: z.array(
        z.object({
          name: z.enum(["SPF", "DKIM", "DMARC", "MX"]),
          state: z.enum(["ok", "missing", "wrong", "unknown"]),
          message: z.string(),
          /** A line for the zone that corrects it; null for none. */
          add: z.nullable(z.string()),
        }),
      ),
      /** The fate of mail from the domain, in a sentence. */
      verdict: z.string(),
    }),
  ),
});

/** The DNS records that receivers check mail of a domain by. */
export type SenderDns = NonNullable<z.infer<typeof mailTestSchema>["sender"]>;
export type SenderRecord = SenderDns["records"][number];
