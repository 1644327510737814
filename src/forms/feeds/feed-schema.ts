import * as z from "zod/mini";
import { momentOf, timestamp, wellFormed } from "../../base/slug-schema.ts";
import { FEED_LIMITS, SEARCH_LIMITS, SUBMISSION_LIMITS } from "../limits.ts";
import { FEED_FORMATS } from "./feed.ts";

const { items, fields, name } = FEED_LIMITS;
const format = z.enum(FEED_FORMATS, `a format is one of ${FEED_FORMATS.join(", ")}`);

export const feedSchema = z.object({
  id: z.string(),
  project: z.string(),
  form: z.string(),
  name: z.string(),
  format,
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

export const newFeedSchema = z.strictObject({
  format,
  name: z.optional(
    z
      .string()
      .check(
        z.trim(),
        z.minLength(1, "a name is not empty"),
        z.maxLength(name, `a name has at most ${name} characters`),
        wellFormed,
      ),
  ),
  fields: z.optional(
    z.nullable(
      z
        .array(
          z.string().check(z.minLength(1, "a field has a name"), z.maxLength(SUBMISSION_LIMITS.fieldName)),
        )
        .check(
          z.minLength(1, "a feed shows at least one field"),
          z.maxLength(fields, `a feed names at most ${fields} fields`),
        ),
    ),
  ),
  search: z.optional(
    z.nullable(
      z
        .string()
        .check(
          z.maxLength(
            SEARCH_LIMITS.characters,
            `a search has at most ${SEARCH_LIMITS.characters} characters`,
          ),
        ),
    ),
  ),
  since: z.optional(
    z.nullable(
      z.int("since is in whole seconds").check(z.gte(1), z.lte(3_155_760_000, "since is at most 100 years")),
    ),
  ),
  limit: z.optional(
    z
      .int("a limit is a whole number")
      .check(
        z.gte(1, "a feed has at least one submission"),
        z.lte(items, `a feed has at most ${items} submissions`),
      ),
  ),
  expiresAt: z.optional(z.nullable(momentOf("expiresAt"))),
});
