import { promotionOrderSchema, promotionSchema } from "../../flags/promotion-schema.ts";

export const promote = { body: promotionOrderSchema, output: promotionSchema };
