import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { exportCsv, exportJsonl } from "../../forms/export.ts";
import { getForm } from "../../forms/forms.ts";
import { purgeResultSchema, purgeSchema } from "../../forms/purge-schema.ts";
import { purgeSubmissions } from "../../forms/purge.ts";
import { NOT_SPAM, SUBMISSION_STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { deleteSubmission, getSubmission, listSubmissions, openFile } from "../../forms/submissions.ts";
import type { AdminEnv } from "../auth.ts";
import { attachment } from "./attachment.ts";
import { jsonBody, query, route } from "./contract.ts";
import { limitOf } from "./pages.ts";

const tag = "submissions";

/** A folder, or `all` of them. */
const state = z.enum([...SUBMISSION_STATES, "all"], "state is inbox, spam, archived or all");

const pageQuery = z.strictObject({
  state: z._default(state, "inbox"),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  before: z.optional(z.uuid("before is the id of a submission")),
});
const exportQuery = z.strictObject({
  format: z._default(z.enum(["jsonl", "csv"]), "jsonl"),
  /** Inbox and archive where it is absent. */
  state: z.optional(state),
});

function statesOf(given: z.infer<typeof state> | undefined): readonly SubmissionState[] {
  if (given === undefined) return NOT_SPAM;
  return given === "all" ? SUBMISSION_STATES : [given];
}

const pageSchema = z.object({
  submissions: z.array(submissionSchema),
  /** What to pass as `before` for the next page; null on the last. */
  next: z.nullable(z.string()),
  /** The number of all submissions of the form in that state; absent past 1,000: see `MAX_COUNTED`. */
  total: z.optional(z.int()),
});

export function submissionRoutes(app: App) {
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
        const { limit, before = null, state } = c.req.valid("query");
        const states = statesOf(state);
        const page = await listSubmissions(app, c.req.param("form"), { limit, before, states });
        const { submissions, more, total } = page;
        return c.json({ submissions, next: more ? submissions.at(-1)!.id : null, total });
      },
    )
    .get(
      "/forms/:form/submissions/export",
      route({
        tag,
        summary: "Export the submissions of a form, newest first",
        scope: "forms:read",
        media: ["application/jsonl", "text/csv"],
      }),
      query(exportQuery),
      async (c) => {
        const form = await getForm(app, c.req.param("form"));
        const { format, state } = c.req.valid("query");
        const states = statesOf(state);
        const text = format === "csv" ? exportCsv(app, form, states) : exportJsonl(app, form, states);
        return new Response(streamOf(text), {
          headers: {
            ...attachment(
              `${form.slug}.${format}`,
              format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl",
            ),
            "X-Total-Count": String(await app.store.submissions.count(form.key, states)),
          },
        });
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
    )
    .get(
      "/submissions/:id",
      route({ tag, summary: "Get a submission", scope: "forms:read", schema: submissionSchema }),
      async (c) => c.json(await getSubmission(app, c.req.param("id"))),
    )
    .get(
      "/submissions/:id/files/:file",
      route({
        tag,
        summary: "Download a file by its number, from 1, or its name",
        scope: "forms:read",
        media: ["application/octet-stream"],
      }),
      async (c) => {
        const { file, bytes } = await openFile(app, c.req.param("id"), c.req.param("file"));
        return new Response(bytes, {
          headers: {
            ...attachment(file.name, "application/octet-stream"),
            "Content-Length": String(file.size),
          },
        });
      },
    )
    .delete(
      "/submissions/:id",
      route({ tag, summary: "Delete a submission and its files", scope: "forms:write", status: 204 }),
      async (c) => {
        await deleteSubmission(app, c.req.param("id"));
        return c.body(null, 204);
      },
    );
}

/** A stream that produces text as fast as the receiver reads it. */
function streamOf(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await text.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
    async cancel() {
      await text.return(undefined);
    },
  });
}
