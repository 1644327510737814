import * as z from "zod/mini";
import { newSchemaOf } from "../../base/kinds/kinds-schema.ts";
import { timestamp } from "../../base/slug-schema.ts";
import { FEED, FEED_FORMATS } from "./feed-card.ts";

export const feedSchema = z.object({
  id: z.string(),
  project: z.string(),
  form: z.string(),
  name: z.string(),
  format: z.enum(FEED_FORMATS),
  /** The fields that it shows, in this order; null for all. */
  fields: z.nullable(z.array(z.string())),
  search: z.nullable(z.string()),
  /** Only submissions of the last so many seconds; null for any age. */
  since: z.nullable(z.int()),
  /** The most submissions that are in it. */
  limit: z.int(),
  createdAt: timestamp,
  expiresAt: z.nullable(timestamp),
  /** When it was last read, to the minute. */
  lastReadAt: z.nullable(timestamp),
});

/** A feed with its address, which is shown this once. */
export const createdFeedSchema = z.extend(feedSchema, { url: z.string() });

export const newFeedSchema = newSchemaOf(FEED);
