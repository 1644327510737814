import * as z from "zod/mini";
import { timestamp } from "../../base/slug-schema.ts";
import { MOODS } from "./feedback.ts";

const mood = z.enum(MOODS);

/** A stored feedback about a preview. */
export const feedbackSchema = z.object({
  id: z.string(),
  flag: z.string(),
  environment: z.string(),
  mood,
  rating: z.int(),
  description: z.nullable(z.string()),
  metadata: z.nullable(z.record(z.string(), z.any())),
  createdAt: timestamp,
});

/** How often each rating and mood was given. */
export const ratingsSchema = z.object({
  count: z.int(),
  /** The mean of the ratings, to two decimals; null without any. */
  mean: z.nullable(z.number()),
  /** By rating, 1 to 5. */
  ratings: z.record(z.string(), z.int()),
  moods: z.record(mood, z.int()),
});
