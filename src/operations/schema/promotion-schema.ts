import { promotionOrderSchema, promotionSchema } from "../../flags/flag-schema.ts";

export const promote = { body: promotionOrderSchema, output: promotionSchema };
