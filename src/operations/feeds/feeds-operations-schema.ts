import * as z from "zod/mini";
import { createdFeedSchema, feedSchema, newFeedSchema } from "../../forms/feeds/feed-schema.ts";
import { formQuery, listQuery, nextSchema } from "../schema/shared-schema.ts";

export const list = {
  query: z.extend(listQuery, { ...formQuery.shape, form: z.optional(z.string()) }),
  output: z.object({ feeds: z.array(feedSchema), next: nextSchema }),
};

export const create = { query: formQuery, body: newFeedSchema, output: createdFeedSchema };
