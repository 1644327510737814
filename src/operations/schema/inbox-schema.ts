import * as z from "zod/mini";
import { HANDLING_LIMITS, MAX_MARKED } from "../../forms/limits.ts";
import { purgeResultSchema, purgeSchema } from "../../forms/keeping/purge-schema.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { SUBMISSION_MARKS } from "../../forms/submission-state.ts";
import { inboxQuery, pageQuery, selection, submissionState } from "./submission-query-schema.ts";

const pageSchema = z.object({
  submissions: z.array(submissionSchema),
  /**
   * Value of `before` for the next page; null on the last. With a filter, a page may be short or empty although others
   * follow.
   */
  next: z.nullable(z.string()),
  /** The number of all submissions of the form in that state; absent with a filter, and past 1,000: see `MAX_COUNTED`. */
  total: z.optional(z.int()),
  /** How many submissions, at most, a search left out because they are not in its index yet; absent for none. */
  indexing: z.optional(z.int()),
});

export const ofForm = { query: pageQuery, output: pageSchema };

export const list = { query: inboxQuery, output: pageSchema };

const ids = z
  .array(z.string().check(z.meta({ format: "uuid" })))
  .check(
    z.minLength(1, "ids names at least one submission"),
    z.maxLength(MAX_MARKED, `ids names at most ${MAX_MARKED} submissions`),
  );
const markSchema = z.enum(SUBMISSION_MARKS, `mark is ${SUBMISSION_MARKS.slice(0, -1).join(", ")} or unread`);

/** Whether the answer names what undoes it, for ten minutes or until a server of its own restarts. */
const undoable = z.optional(z.boolean());

/** The name for `POST /submissions/undo`, by the same caller; null if nothing was changed, or more than can be undone. */
const undone = z.optional(z.nullable(z.string()));

const changed = z.object({
  /** How many were not so before. */
  changed: z.int(),
  undo: undone,
});

export const mark = {
  body: z.strictObject({
    ids,
    mark: markSchema,
    /** Whether ids that do not exist are left out. Default: 404, and nothing is marked. */
    skipMissing: z.optional(z.boolean()),
    undoable,
  }),
  output: changed,
};

export const assign = {
  body: z.strictObject({
    ids,
    /** The name of a user, or `me`; null for none. */
    assignee: z.nullable(z.string()),
    undoable,
  }),
  output: changed,
};

const labels = z.optional(
  z
    .array(z.string().check(z.meta({ maxLength: HANDLING_LIMITS.label })))
    .check(z.maxLength(HANDLING_LIMITS.labels, `a request names at most ${HANDLING_LIMITS.labels} labels`)),
);

export const label = {
  body: z
    .strictObject({ ids, add: labels, remove: labels, undoable })
    .check(
      z.refine(
        ({ add = [], remove = [] }) => add.length + remove.length > 0,
        "add or remove names at least one label",
      ),
    ),
  output: changed,
};

const bulkSchema = z.object({
  dryRun: z.boolean(),
  /** How many submissions were changed; in a dry run, how many are selected. */
  total: z.int(),
  /** The first 10,000 of them. */
  ids: z.array(z.string()),
  /** The submission that had arrived last: with it as `upTo`, later arrivals are left out. Null without one. */
  upTo: z.nullable(z.string()),
});

export const markMatching = {
  body: z.strictObject({ ...selection, mark: markSchema, undoable }),
  output: z.extend(bulkSchema, { undo: undone }),
};

export const undo = {
  body: z.strictObject({ undo: z.string().check(z.maxLength(100, "undo is what an answer named")) }),
  output: z.object({
    /** How many submissions are as they were before. */
    changed: z.int(),
    /** How many of them got which mark back. */
    marks: z.array(z.object({ mark: markSchema, changed: z.int() })),
  }),
};

export const deleteSome = { body: z.strictObject({ ids }), output: z.object({ ids: z.array(z.string()) }) };

export const deleteMatching = {
  /** Without the default state: at least one member has to select. */
  body: z.strictObject({ ...selection, state: z.optional(submissionState) }),
  output: bulkSchema,
};

export const purge = { body: purgeSchema, output: purgeResultSchema };
