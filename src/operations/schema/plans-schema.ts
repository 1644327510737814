import * as z from "zod/mini";
import { proposalSchema } from "../../documents/changes/proposal-schema.ts";

export const make = {
  body: z.strictObject({
    /** An operation of this API by method and path, such as `PATCH /projects/:project/…`. */
    operation: z.string(),
    /** The names in its path. */
    names: z.optional(z.record(z.string(), z.string())),
    /** Its body. */
    body: z.optional(z.any()),
    /** The `plan` of an answer to the same call: makes those changes. Without it nothing is changed. */
    plan: z.optional(
      z.string().check(z.regex(/^[0-9a-f]{64}$/, "plan is the plan of a call that changed nothing")),
    ),
    /** Proposes the changes also where they need no approvals. */
    propose: z.optional(z.boolean("propose is true or false")),
    /** The locked environments to change all the same, by slug. */
    confirm: z.optional(z.array(z.string())),
  }),
  output: z.object({
    applied: z.boolean(),
    plan: z.string(),
    changes: proposalSchema.shape.differences,
    /** The locked environments that change: `confirm` has to name them. */
    locked: z.array(z.string()),
    /** Sentences about what else follows, such as `turns off 3 more: search, sale, banner`: flags that need one that is turned off. */
    warnings: z.array(z.string()),
    /** All of those flags, by the environment. */
    turnsOff: z.optional(
      z.array(z.object({ project: z.string(), environment: z.string(), flags: z.array(z.string()) })),
    ),
    /** Approvals of people that it needs, so that `plan` makes a proposal; 0 if `plan` makes the changes. */
    approvals: z.int(),
    /** The proposal that was made of it. */
    change: z.optional(proposalSchema),
  }),
};
