import * as z from "zod/mini";
import { givenRoleSchema, memberSchema } from "../../../access/members/member-schema.ts";
import { listQuery, nextSchema, setResult } from "../../schema/shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ members: z.array(memberSchema), next: nextSchema }),
};

export const set = { body: givenRoleSchema, output: z.extend(memberSchema, setResult) };
