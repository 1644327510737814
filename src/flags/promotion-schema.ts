import * as z from "zod/mini";
import { slugOf } from "../base/slug-schema.ts";

export const promotionOrderSchema = z.strictObject({
  from: slugOf("environment"),
  /** Slugs; without it every flag. */
  flags: z.optional(z.array(z.string()).check(z.minLength(1, "name a flag, or leave flags out for all"))),
  /** Copies the segments that the rules need too. */
  segments: z.optional(z.boolean()),
  /** Returns what would change, and changes nothing. */
  dryRun: z.optional(z.boolean()),
});

export const promotionSchema = z.object({
  /** The flags that change. */
  flags: z.array(
    z.object({
      slug: z.string(),
      result: z.enum(["created", "updated", "unchanged"]),
      before: z.any(),
      after: z.any(),
    }),
  ),
  /** The number of flags that stay as they are. */
  unchanged: z.int(),
  /** Segments that the rules refer to and that are missing (`before` is null) or different in the target. */
  segments: z.array(
    z.object({ name: z.string(), copied: z.boolean(), before: z.nullable(z.any()), after: z.any() }),
  ),
});
