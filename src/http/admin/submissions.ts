import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { exportSubmissions } from "../../forms/export.ts";
import type { ExportFormat } from "../../forms/export-format.ts";
import { getForm } from "../../forms/forms.ts";
import { importSubmissions } from "../../forms/import.ts";
import { MAX_EXPORT_COUNTED, MAX_MARKED } from "../../forms/limits.ts";
import { purgeResultSchema, purgeSchema } from "../../forms/purge-schema.ts";
import { purgeSubmissions } from "../../forms/purge.ts";
import { isSelective, searchOf } from "../../forms/submission-filter.ts";
import { listSubmissions } from "../../forms/submission-list.ts";
import { markSubmissions } from "../../forms/submission-marks.ts";
import { metadataSchema, submissionSchema } from "../../forms/submission-schema.ts";
import { SUBMISSION_MARKS, SUBMISSION_STATES } from "../../forms/submission-state.ts";
import { deleteSubmission, getSubmission, openFile } from "../../forms/submissions.ts";
import { attachment } from "../attachment.ts";
import type { AdminEnv } from "../auth.ts";
import type { Report } from "../errors.ts";
import { MAX_IMPORT_BODY } from "../limits.ts";
import { jsonBody, query, requireLines, route } from "./contract.ts";
import { exportQuery, filterOf, pageQuery } from "./submission-query.ts";

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

const marksSchema = z.strictObject({
  ids: z
    .array(z.string())
    .check(
      z.minLength(1, "ids names at least one submission"),
      z.maxLength(MAX_MARKED, `ids names at most ${MAX_MARKED} submissions`),
    ),
  mark: z.enum(SUBMISSION_MARKS, `mark is ${SUBMISSION_MARKS.slice(0, -1).join(", ")} or unread`),
});

const markedSchema = z.object({
  /** How many were not marked so before. */
  changed: z.int(),
});

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

const MEDIA_TYPES: Record<ExportFormat, string> = {
  jsonl: "application/jsonl",
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  zip: "application/zip",
};

export function submissionRoutes(app: App, { report }: { report: Report }) {
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
        const page = { limit, before, filter: filterOf(filters) };
        const { indexing, ...listed } = await listSubmissions(app, c.req.param("form"), page);
        return c.json({ ...listed, ...(indexing > 0 && { indexing }) });
      },
    )
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
        const total = isSelective(filter)
          ? Infinity
          : await app.store.submissions.count(form.key, filter.states, MAX_EXPORT_COUNTED + 1);
        return new Response(
          streamOf(chunks, (error) => report.error(error, c.req.raw)),
          {
            headers: {
              ...attachment(`${form.slug}.${format}`, MEDIA_TYPES[format]),
              ...(total <= MAX_EXPORT_COUNTED && { "X-Total-Count": String(total) }),
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
        return c.json({ changed: await markSubmissions(app, c.get("caller"), ids, mark) });
      },
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

/** A stream that produces chunks as fast as the receiver reads them. An error breaks it off, and goes to `report`. */
function streamOf(
  chunks: AsyncGenerator<string | Uint8Array>,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let isCancelled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        // A receiver that went away in the meantime has closed the stream.
        if (isCancelled) return;
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? Buffer.from(value) : value);
      } catch (error) {
        report(error);
        throw error;
      }
    },
    async cancel() {
      isCancelled = true;
      await chunks.return(undefined);
    },
  });
}
