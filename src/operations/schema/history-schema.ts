import * as z from "zod/mini";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { rollbackSchema } from "../../flags/flag-schema.ts";
import { CHANGE_KINDS } from "../../projects/history.ts";
import { changeSchema } from "../../projects/history-schema.ts";
import { set as setFlag } from "./flags-schema.ts";
import { limitOf } from "./shared-schema.ts";

const pageQuery = z.strictObject({
  environment: z.optional(z.string()),
  /** Only changes by the user, token or operator of that name. */
  who: z.optional(z.string()),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  /** A revision; the page starts with the next older change. */
  before: z.optional(z.coerce.number("before is a revision").check(z.int())),
});

const output = z.object({
  changes: z.array(changeSchema),
  /** Value of `before` for the next page; null on the last. */
  next: z.nullable(z.int()),
});

export const list = {
  query: z.extend(pageQuery, {
    kind: z.optional(z.enum(CHANGE_KINDS, `kind is one of ${CHANGE_KINDS.join(", ")}`)),
    name: z.optional(z.string()),
  }),
  output,
};

export const ofFlag = { query: pageQuery, output };

export const rollback = { body: rollbackSchema, output: setFlag.output };
