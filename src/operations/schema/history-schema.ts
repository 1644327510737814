import * as z from "zod/mini";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { rollbackSchema } from "../../flags/flag-schema.ts";
import { momentOf } from "../../base/slug-schema.ts";
import { CHANGE_KINDS, PROJECT_KINDS } from "../../access/history-entry.ts";
import { changeSchema, placedChangeSchema } from "../../projects/history-schema.ts";
import { set as setFlag } from "./flags-schema.ts";
import { formQuery, limitOf } from "./shared-schema.ts";

const anyQuery = z.strictObject({
  /** Only changes by the user, token or operator of that name. */
  who: z.optional(z.string()),
  /** Only changes from this time on. */
  since: z.optional(momentOf("since")),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  /** A revision; the page starts with the next older change. */
  before: z.optional(z.coerce.number("before is a revision").check(z.int())),
});

const pageQuery = z.extend(anyQuery, { environment: z.optional(z.string()) });

const kindOf = <const K extends readonly string[]>(kinds: K) =>
  z.optional(z.enum(kinds, `kind is one of ${kinds.join(", ")}`));

const output = z.object({
  changes: z.array(changeSchema),
  /** Value of `before` for the next page; null on the last. */
  next: z.nullable(z.int()),
});

export const list = {
  query: z.extend(pageQuery, {
    kind: kindOf(PROJECT_KINDS),
    name: z.optional(z.string()),
  }),
  output,
};

export const everywhere = {
  query: z.extend(anyQuery, { kind: kindOf(CHANGE_KINDS) }),
  output: z.extend(output, { changes: z.array(placedChangeSchema) }),
};

export const ofForm = { query: z.extend(anyQuery, formQuery.shape), output };

export const ofFlag = { query: pageQuery, output };

export const rollback = { body: rollbackSchema, output: setFlag.output };

const revision = z.int().check(z.minimum(1));

export const undo = {
  /** The revisions of the changes, all those from the first to the last. */
  body: z.strictObject({ first: revision, last: revision }),
  output: z.object({
    /** The number of changes that were taken back. */
    undone: z.int(),
  }),
};
