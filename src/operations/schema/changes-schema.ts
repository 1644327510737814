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
export const approve = one;
export const withdraw = one;
export const apply = one;
export const refresh = one;

export const reject = {
  ...one,
  body: z.strictObject({
    why: z.optional(z.nullable(z.string().check(z.maxLength(500, "why has at most 500 characters")))),
  }),
};
