import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { countMatching, deleteMatching, markMatching } from "../../forms/inbox/bulk.ts";
import { listInbox } from "../../forms/inbox/inbox.ts";
import { MAX_MARKED } from "../../forms/limits.ts";
import { findPerson } from "../../forms/keeping/person.ts";
import { purgeResultSchema, purgeSchema } from "../../forms/keeping/purge-schema.ts";
import { purgeSubmissions } from "../../forms/keeping/purge.ts";
import { deleteSubmissions } from "../../forms/keeping/submission-deletion.ts";
import type { FilteredPage } from "../../forms/inbox/submission-list.ts";
import { isSelective } from "../../forms/inbox/submission-filter.ts";
import { markSubmissions } from "../../forms/inbox/submission-marks.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { SUBMISSION_MARKS } from "../../forms/submission-state.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, route } from "./contract.ts";
import {
  filterOf,
  inboxQuery,
  pageQuery,
  selection,
  selectionOf,
  submissionState,
} from "./submission-query.ts";

const tag = "submissions";

const pageSchema = z.object({
  submissions: z.array(submissionSchema),
  /** What to pass as `before` for the next page; null on the last. With a filter a page may be short, or empty, before. */
  next: z.nullable(z.string()),
  /** The number of all submissions of the form in that state; absent with a filter, and past 1,000: see `MAX_COUNTED`. */
  total: z.optional(z.int()),
  /** How many submissions, at most, a search left out because they are not in its index yet; absent for none. */
  indexing: z.optional(z.int()),
});

const ids = z
  .array(z.string())
  .check(
    z.minLength(1, "ids names at least one submission"),
    z.maxLength(MAX_MARKED, `ids names at most ${MAX_MARKED} submissions`),
  );
const mark = z.enum(SUBMISSION_MARKS, `mark is ${SUBMISSION_MARKS.slice(0, -1).join(", ")} or unread`);

const marksSchema = z.strictObject({ ids, mark });

const markedSchema = z.object({
  /** How many were not marked so before. */
  changed: z.int(),
});

const markMatchingSchema = z.strictObject({ ...selection, mark });

/** Without the default state: at least one member has to select. */
const deleteMatchingSchema = z.strictObject({ ...selection, state: z.optional(submissionState) });

const bulkSchema = z.object({
  dryRun: z.boolean(),
  /** How many submissions were changed; in a dry run, how many are selected. */
  total: z.int(),
  /** The first 10,000 of them. */
  ids: z.array(z.string()),
  /** The submission that had arrived last: with it as `upTo`, later arrivals are left out. Null where there is none. */
  upTo: z.nullable(z.string()),
});

/** Lists of submissions, and what changes many of them at once. */
export function inboxRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/forms/:form/submissions",
      route({
        tag,
        summary: "List the submissions of a form, newest first",
        scope: "forms:read",
        schema: pageSchema,
      }),
      query(pageQuery),
      async (c) => {
        const { limit, before = null, ...filters } = c.req.valid("query");
        const page = { form: c.req.param("form"), limit, before, filter: filterOf(filters) };
        return c.json(viewPage(await listInbox(app, c.get("caller"), page)));
      },
    )
    .get(
      "/submissions",
      route({
        tag,
        summary: "List the submissions of all forms, or those that hold an address, newest first",
        scope: "forms:read",
        schema: pageSchema,
      }),
      query(inboxQuery),
      async (c) => {
        const { form = null, email, limit, before = null, state = "inbox", ...others } = c.req.valid("query");
        const caller = c.get("caller");
        if (email !== undefined)
          return c.json(viewPage(await findPerson(app, caller, email, { limit, before })));
        const filter = filterOf({ state, ...others });
        return c.json(viewPage(await listInbox(app, caller, { form, limit, before, filter })));
      },
    )
    .post(
      "/submissions/mark",
      route({
        tag,
        summary: "Move submissions to a folder, or mark them as read or unread",
        scope: "forms:write",
        schema: markedSchema,
      }),
      jsonBody(marksSchema),
      async (c) => {
        const { ids, mark } = c.req.valid("json");
        const changed = await markSubmissions(app, c.get("caller"), ids, mark);
        return c.json({ changed: changed.length });
      },
    )
    .post(
      "/submissions/mark-matching",
      route({
        tag,
        summary: "Mark every submission that filters select",
        scope: "forms:write",
        schema: bulkSchema,
      }),
      jsonBody(markMatchingSchema),
      async (c) => {
        const { mark, dryRun = false, ...body } = c.req.valid("json");
        const selected = selectionOf(body);
        const result = dryRun
          ? await countMatching(app, c.get("caller"), selected)
          : await markMatching(app, c.get("caller"), selected, mark);
        return c.json({ dryRun, ...result });
      },
    )
    .post(
      "/submissions/delete",
      route({
        tag,
        summary: "Delete submissions and their files",
        scope: "forms:write",
        schema: z.object({ ids: z.array(z.string()) }),
      }),
      jsonBody(z.strictObject({ ids })),
      async (c) => c.json({ ids: await deleteSubmissions(app, c.get("caller"), c.req.valid("json").ids) }),
    )
    .post(
      "/submissions/delete-matching",
      route({
        tag,
        summary: "Delete every submission that filters select, with its files",
        scope: "forms:write",
        schema: bulkSchema,
      }),
      jsonBody(deleteMatchingSchema),
      async (c) => {
        const { dryRun = false, ...body } = c.req.valid("json");
        const selected = selectionOf({ ...body, state: body.state ?? "inbox" });
        const selects = body.form !== undefined || body.state !== undefined || isSelective(selected.filter);
        // A filter whose value is missing where the body was made would otherwise delete every inbox.
        if (!dryRun && !selects)
          throw new AppError("invalid", "nothing selects what to delete", {
            hint: "name a form, a state or another filter; the state `all` selects everything",
          });
        const work = dryRun ? countMatching : deleteMatching;
        return c.json({ dryRun, ...(await work(app, c.get("caller"), selected)) });
      },
    )
    .post(
      "/submissions/purge",
      route({
        tag,
        summary: "Delete every submission that holds an address or a value",
        scope: "forms:write",
        schema: purgeResultSchema,
      }),
      jsonBody(purgeSchema),
      async (c) => c.json(await purgeSubmissions(app, c.get("caller"), c.req.valid("json"))),
    );
}

/** What there is nothing of is left out. */
function viewPage({ indexing, ...page }: FilteredPage) {
  return { ...page, ...(indexing > 0 && { indexing }) };
}
