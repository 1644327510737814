import * as z from "zod/mini";
import { ACTOR_TYPES } from "../../../access/audit/entry.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../../base/pages.ts";
import { momentOf, timestamp } from "../../../base/slug-schema.ts";
import { limitOf } from "../../schema/shared-schema.ts";

const filter = z.strictObject({
  project: z.optional(z.string()),
  /** An action such as `token.create`, or a noun, which selects every action of it. */
  action: z.optional(
    z
      .string()
      .check(z.regex(/^[a-z-]+(?:\.[a-z-]+)?$/, "an action looks like token.create, or token for all of it")),
  ),
  /** Only what the user, token or operator of that name did. */
  who: z.optional(z.string()),
  /** Only from this time on. */
  since: z.optional(momentOf("since")),
  /** Only before this time. */
  until: z.optional(momentOf("until")),
});

const entry = z.object({
  id: z.int(),
  at: timestamp,
  /** Null for a sign-in that failed and names no user. */
  who: z.nullable(z.string()),
  type: z.enum(ACTOR_TYPES),
  action: z.string(),
  project: z.nullable(z.string()),
  object: z.nullable(z.string()),
  details: z.record(z.string(), z.any()),
  address: z.nullable(z.string()),
  /** SHA-256 of the hash of the entry before and of this entry without its hash, in hex. */
  hash: z.string(),
});

export const list = {
  query: z.extend(filter, {
    limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
    /** An id; the page starts with the next older entry. */
    before: z.optional(z.coerce.number("before is the id of an entry").check(z.int())),
  }),
  output: z.object({
    entries: z.array(entry),
    /** Value of `before` for the next page; null on the last. */
    next: z.nullable(z.int()),
  }),
};

const exported = {
  query: z.extend(filter, {
    /** Whether it has to be the whole log, so that its chain can be checked: 403 for who sees only a part. */
    whole: z.optional(z.enum(["true", "false"])),
  }),
};

export { exported as export };
