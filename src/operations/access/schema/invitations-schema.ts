import * as z from "zod/mini";
import {
  createdInvitationSchema,
  invitationSchema,
  newInvitationSchema,
} from "../../../access/members/member-schema.ts";
import { createdResult, listQuery, nextSchema } from "../../schema/shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ invitations: z.array(invitationSchema), next: nextSchema }),
};

export const create = {
  body: newInvitationSchema,
  output: z.extend(createdInvitationSchema, createdResult),
};
