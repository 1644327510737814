import * as z from "zod/mini";
import { createdTokenSchema, newTokenSchema, tokenSchema } from "../../../access/token-schema.ts";
import { createdResult, listQuery, nextSchema } from "../../schema/shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ tokens: z.array(tokenSchema), next: nextSchema }),
};

export const create = { body: newTokenSchema, output: z.extend(createdTokenSchema, createdResult) };
