import * as z from "zod/mini";
import {
  linkSchema,
  newLinkSchema,
  newUserSchema,
  userDetailSchema,
  userPatchSchema,
  userSchema,
} from "../../../access/user-schema.ts";
import { createdResult, listQuery, nextSchema, updatedResult } from "../../schema/shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ users: z.array(userSchema), next: nextSchema }),
};

export const create = { body: newUserSchema, output: z.extend(userDetailSchema, createdResult) };

export const link = { body: newLinkSchema, output: linkSchema };

export const get = { output: userDetailSchema };

export const reset = { output: z.extend(userDetailSchema, updatedResult) };

export const set = { body: userPatchSchema, output: z.extend(userDetailSchema, updatedResult) };
