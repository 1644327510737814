import * as z from "zod/mini";
import {
  givenRoleSchema,
  memberSchema,
  createdInvitationSchema,
  invitationSchema,
  newInvitationSchema,
} from "../../../access/members/member-schema.ts";
import { listQuery, nextSchema, setResult, createdResult } from "../../schema/shared-schema.ts";

export const members = {
  list: {
    query: listQuery,
    output: z.object({ members: z.array(memberSchema), next: nextSchema }),
  },
  set: { body: givenRoleSchema, output: z.extend(memberSchema, setResult) },
};

export const invitations = {
  list: {
    query: listQuery,
    output: z.object({ invitations: z.array(invitationSchema), next: nextSchema }),
  },
  create: {
    body: newInvitationSchema,
    output: z.extend(createdInvitationSchema, createdResult),
  },
};
