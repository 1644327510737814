import * as z from "zod/mini";
import { DEFAULT_PAGE } from "../../base/pages.ts";
import { PROPOSAL_STATUSES } from "../../projects/approval.ts";
import { proposalSchema } from "../../documents/changes/proposal-schema.ts";
import { limitOf, nextSchema } from "./shared-schema.ts";

const one = { output: z.object({ change: proposalSchema }) };

export const list = {
  query: z.strictObject({
    status: z.optional(z.enum(PROPOSAL_STATUSES, `status is one of ${PROPOSAL_STATUSES.join(", ")}`)),
    limit: limitOf(100, DEFAULT_PAGE),
    /** The `next` of a page of this list. */
    before: z.optional(z.string()),
  }),
  output: z.object({ changes: z.array(proposalSchema), next: nextSchema }),
};

export const get = one;

export const approve = {
  ...one,
  body: z.strictObject({
    /** A code of the authenticator app of the user who calls, or one of the recovery codes; each counts once. */
    code: z.optional(z.string("code is a text").check(z.maxLength(40, "code has at most 40 characters"))),
  }),
};
export const withdraw = one;
export const apply = one;
export const refresh = one;

export const reject = {
  ...one,
  body: z.strictObject({
    why: z.optional(z.nullable(z.string().check(z.maxLength(500, "why has at most 500 characters")))),
  }),
};
