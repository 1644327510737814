import * as z from "zod/mini";
import { DEFAULT_STALE_DAYS } from "../../flags/stale.ts";
import { staleFlagSchema, promotionOrderSchema, promotionSchema } from "../../flags/flag-schema.ts";

const days = z.coerce.number("days is a number").check(z.int(), z.gte(0), z.lte(36_500));

export const stale = {
  list: {
    query: z.strictObject({
      days: z._default(days, DEFAULT_STALE_DAYS),
      environment: z.optional(z.string()),
    }),
    output: z.object({ stale: z.array(staleFlagSchema) }),
  },
};

export const promotion = {
  promote: { body: promotionOrderSchema, output: promotionSchema },
};
