import * as z from "zod/mini";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { momentOf } from "../../base/slug-schema.ts";
import { feedbackSchema, ratingsSchema } from "../../flags/previews/feedback-schema.ts";
import { limitOf, nextSchema } from "./shared-schema.ts";

const placeQuery = z.strictObject({ environment: z.optional(z.string()) });
const since = z.optional(momentOf("since"));

export const list = {
  query: z.extend(placeQuery, {
    since,
    limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
    before: z.optional(z.string()),
  }),
  output: z.object({ feedback: z.array(feedbackSchema), next: nextSchema }),
};

export const deleteAll = { query: placeQuery, output: z.object({ deleted: z.int() }) };

export const ratings = { query: z.extend(placeQuery, { since }), output: ratingsSchema };
