import * as z from "zod/mini";
import { newSchemaOf, shownSchemas } from "../../base/kinds/kinds-schema.ts";
import { timestamp } from "../../base/slug-schema.ts";
import { FEED } from "./feed-card.ts";

export const feedSchema = z.object({
  id: z.string(),
  project: z.string(),
  form: z.string(),
  ...shownSchemas(FEED),
  createdAt: timestamp,
  /** When it was last read, to the minute. */
  lastReadAt: z.nullable(timestamp),
});

/** A feed with its address, which is shown this once. */
export const createdFeedSchema = z.extend(feedSchema, { url: z.string() });

export const newFeedSchema = newSchemaOf(FEED);
