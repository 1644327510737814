import * as z from "zod/mini";
import { MEMBER_LIMITS } from "../../flags/limits.ts";
import { segmentPutSchema, segmentSchema } from "../../flags/segment-schema.ts";
import { listQuery, nextSchema, setResult, warnings } from "./shared-schema.ts";

export const list = {
  query: listQuery,
  output: z.object({ segments: z.array(segmentSchema), next: nextSchema }),
};

export const get = { output: segmentSchema };

export const set = { body: segmentPutSchema, output: z.extend(segmentSchema, { ...setResult, ...warnings }) };

export const members = {
  query: z.extend(listQuery, { pending: z.optional(z.enum(["true", "false"])) }),
  output: z.object({
    /** Each value with the number of submissions that have it. */
    members: z.array(z.object({ value: z.string(), submissions: z.int() })),
    next: nextSchema,
  }),
};

export const approve = {
  body: z
    .strictObject({
      values: z.optional(
        z
          .array(z.string().check(z.meta({ maxLength: MEMBER_LIMITS.characters })))
          .check(z.minLength(1), z.maxLength(1000)),
      ),
      all: z.optional(z.literal(true)),
      /** Takes the approval of the values back: they are pending again, and a mail to them that waits is not sent. */
      undo: z.optional(z.literal(true)),
    })
    .check(
      z.refine(
        (given) => (given.values === undefined) !== (given.all === undefined),
        'name "values", 1 to 1000 of them, or "all": true',
      ),
      z.refine((given) => given.undo === undefined || given.all === undefined, '"undo" goes with "values"'),
    ),
  output: segmentSchema,
};
