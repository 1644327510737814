import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { CHANGE_KINDS } from "../access/history-entry.ts";
import { SOURCES } from "../access/source.ts";

export const changeSchema = z.object({
  revision: z.int(),
  /** Null for a change that applies to every environment. */
  environment: z.nullable(z.string()),
  /**
   * `scheduled` is a scheduled change of a flag that failed: `after` holds the reason. `ramp` is a ramp of a flag, whose steps
   * are changes of the flag; `experiment` is one, whose split is a change of the flag.
   */
  kind: z.enum(CHANGE_KINDS),
  name: z.string(),
  at: timestamp,
  who: z.string(),
  /** Why the change was made, in the words of who made it; null if no reason was given. */
  why: z.nullable(z.string()),
  /** The way by which it came; null before that was recorded, and left out by a server of an earlier version. */
  source: z.optional(z.nullable(z.enum(SOURCES))),
  /** The assistant that acted for `who`, by the name of its client; null for none, and left out by a server of an earlier version. */
  via: z.optional(z.nullable(z.string())),
  /** Whether an administrator made it without the approvals that it needs. */
  bypass: z.boolean(),
  /** The proposed change that it was part of, with its author and who approved it; `who` applied it. Null for others. */
  review: z.nullable(z.object({ change: z.string(), author: z.string(), approvers: z.array(z.string()) })),
  /** Null for a creation. */
  before: z.nullable(z.any()),
  /** Null for a deletion. */
  after: z.nullable(z.any()),
});

/** `kind` is `project` for a creation or deletion of one, and `form` for a form and its targets. */
export const placedChangeSchema = z.extend(changeSchema, {
  /** Null for a change in no project. */
  project: z.nullable(z.string()),
});
