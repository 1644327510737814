import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { exportSubmissions } from "../../forms/transfer/export.ts";
import { getForm } from "../../forms/forms.ts";
import { importSubmissions } from "../../forms/transfer/import.ts";
import { isSelective, searchOf } from "../../forms/inbox/submission-filter.ts";
import { deleteSubmission } from "../../forms/keeping/submission-deletion.ts";
import { metadataSchema, submissionSchema } from "../../forms/submission-schema.ts";
import { SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { getSubmission, openFile } from "../../forms/submissions.ts";
import { timelineEventSchema } from "../../forms/inbox/timeline-schema.ts";
import { timelineOf } from "../../forms/inbox/timeline.ts";
import { attachment } from "../attachment.ts";
import type { AdminEnv } from "../auth.ts";
import type { Report } from "../errors.ts";
import { EXPORT_TYPES, streamOf } from "../exports.ts";
import { MAX_IMPORT_BODY } from "../limits.ts";
import { query, requireLines, route } from "./contract.ts";
import { inboxRoutes } from "./inbox.ts";
import { exportQuery, filterOf } from "./submission-query.ts";

const tag = "submissions";

/** A line of an import. An object without `data` holds the fields themselves. */
const importedRow = z.object({
  /** A UUID. */
  id: z.optional(z.nullable(z.string())),
  data: z.record(z.string(), z.any()),
  createdAt: z.optional(z.nullable(z.string())),
  state: z.optional(z.enum(SUBMISSION_STATES)),
  spam: z.optional(z.nullable(z.string())),
  read: z.optional(z.boolean()),
  meta: z.optional(z.nullable(metadataSchema)),
});
const importedSchema = z.object({
  imported: z.int(),
  /** Submissions whose id is known. */
  skipped: z.int(),
  /** How many of these belong to other forms. */
  elsewhere: z.int(),
});

export function submissionRoutes(app: App, { report }: { report: Report }) {
  return new Hono<AdminEnv>()
    .route("/", inboxRoutes(app))
    .get(
      "/forms/:form/submissions/export",
      route({
        tag,
        summary: "Export the submissions of a form, newest first",
        scope: "forms:read",
        schema: z.array(submissionSchema),
        media: ["application/jsonl", "text/csv", "application/zip"],
      }),
      query(exportQuery),
      async (c) => {
        const form = await getForm(app, c.req.param("form"));
        const { format, ...filters } = c.req.valid("query");
        const filter = filterOf(filters);
        // Refuses a search without a word before the answer begins.
        searchOf(filter);
        const chunks = exportSubmissions(app, form, format, filter);
        const total = isSelective(filter) ? null : await app.store.submissions.count(form.key, filter.states);
        return new Response(
          streamOf(chunks, (error) => report.error(error, c.req.raw)),
          {
            headers: {
              ...attachment(`${form.slug}.${format}`, EXPORT_TYPES[format]),
              ...(total !== null && { "X-Total-Count": String(total) }),
            },
          },
        );
      },
    )
    .post(
      "/forms/:form/submissions/import",
      route({
        tag,
        summary: "Import submissions, without files and deliveries",
        scope: "forms:write",
        schema: importedSchema,
        lines: importedRow,
        maxBody: MAX_IMPORT_BODY,
      }),
      async (c) => {
        requireLines(c.req.header("content-type"));
        const text = await c.req.text();
        return c.json(await importSubmissions(app, c.get("caller"), c.req.param("form"), text));
      },
    )
    .get(
      "/submissions/:id",
      route({ tag, summary: "Get a submission", scope: "forms:read", schema: submissionSchema }),
      async (c) => c.json(await getSubmission(app, c.req.param("id"))),
    )
    .get(
      "/submissions/:id/timeline",
      route({
        tag,
        summary: "List what happened to a submission, oldest first",
        scope: "forms:read",
        schema: z.object({ events: z.array(timelineEventSchema) }),
      }),
      async (c) => c.json({ events: await timelineOf(app, c.get("caller"), c.req.param("id")) }),
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
        await deleteSubmission(app, c.get("caller"), c.req.param("id"));
        return c.body(null, 204);
      },
    );
}
