import * as z from "zod/mini";
import { DEFAULT_STALE_DAYS } from "../../flags/stale.ts";
import { timestamp } from "../../base/slug-schema.ts";
import { codeReferencesSchema, placeSchema } from "../../flags/code/code-reference-schema.ts";
import { flagSlug, promotionOrderSchema, promotionSchema } from "../../flags/flag-schema.ts";
import { keepSchema, staleFlagSchema } from "../../flags/stale-schema.ts";

const days = z.coerce.number("days is a number").check(z.int(), z.gte(0), z.lte(36_500));

export const stale = {
  list: {
    query: z.strictObject({
      days: z._default(days, DEFAULT_STALE_DAYS),
      environment: z.optional(z.string()),
      /** Says of each flag whether it can be removed. */
      removable: z.optional(z.enum(["true", "false"])),
    }),
    output: z.object({ stale: z.array(staleFlagSchema) }),
  },
  cleanup: {
    output: z.object({
      slug: flagSlug,
      /** Whether everyone gets the same in every environment, and nothing holds the flag. */
      finished: z.boolean(),
      /** The time since which everyone gets the same; null if that is not so. */
      since: z.nullable(timestamp),
      /** The whole days since then. */
      days: z.nullable(z.int()),
      /** The branch that the code keeps; null for a flag that is not finished. */
      keep: z.nullable(keepSchema),
      /** The first 1,000 places where the uploaded code names the flag. */
      references: z.array(
        z.omit(z.extend(codeReferencesSchema, placeSchema.shape), { slug: true, references: true }),
      ),
      /** Steps that are left, or the obstacles of a flag that is not finished: a sentence each. */
      left: z.array(z.string()),
    }),
  },
};

export const promotion = {
  promote: { body: promotionOrderSchema, output: promotionSchema },
};
