import * as z from "zod/mini";
import { createdTokenSchema, newTokenSchema, tokenSchema } from "../../../access/token-schema.ts";
import { createdResult, listQuery, nextSchema } from "../../schema/shared-schema.ts";

/** Only tokens that are limited to the project. */
const ofProject = { project: z.optional(z.string()) };

export const list = {
  query: z.extend(listQuery, ofProject),
  output: z.object({ tokens: z.array(tokenSchema), next: nextSchema }),
};

export const revoke = { query: z.object(ofProject) };

export const create = { body: newTokenSchema, output: z.extend(createdTokenSchema, createdResult) };
