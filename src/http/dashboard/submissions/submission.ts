import { counted } from "../parts/text.tsx";
import { AppError } from "../../../base/errors.ts";
import { listDeliveries } from "../../../forms/deliveries.ts";
import { deliveries } from "../../../operations/deliveries.ts";
import type { Download } from "../../../operations/deployment.ts";
import { submissions } from "../../../operations/submissions.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { type FormName, parseFormName } from "../../../forms/form-name.ts";
import type { Submission } from "../../../forms/submission.ts";
import { openPreview } from "../../../forms/inbox/file-preview.ts";
import { getSubmission, openFile } from "../../../forms/submissions.ts";
import { attachment } from "../../attachment.ts";
import { streamOf } from "../../exports.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { filtersOf, readFilters } from "../inbox/query.ts";
import type { Dashboard } from "../routes.ts";
import { submissionPath } from "./rows.tsx";

/** Failed deliveries of a submission that are queued again at once. */
const MAX_RETRIED = 100;

export const SUBMISSION = "/inbox/:form/:id";

/** A submission of a form. Throws `not_found`. */
export async function submissionOf(
  app: App,
  caller: Caller,
  name: FormName,
  id: string,
): Promise<Submission> {
  const { project, slugOrKey } = parseFormName(name);
  const submission = await getSubmission(app, caller, id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  });
  if (submission?.form !== slugOrKey || (project !== null && submission.project !== project))
    throw new AppError("not_found", "it was deleted, or was never in this form", {
      reason: "submission-not-found",
    });
  return submission;
}

/** Routes of a submission: its files, its JSON and retries of its deliveries. */
export function submissionRoutes({ app, get, post, perform }: Dashboard) {
  get(`${SUBMISSION}/json`, "forms:read", async (c, { form, id }) => {
    const submission = await submissionOf(app, c.get("caller"), form, id);
    const text = `${JSON.stringify(submission, null, 2)}\n`;
    return c.body(text, 200, attachment(`${submission.id}.json`, "application/json"));
  });
  get(`${SUBMISSION}/files/:file`, "forms:read", async (c, { form, id, file: number }) => {
    const { file, bytes } = await openFile(app, await submissionOf(app, c.get("caller"), form, id), number);
    return c.body(bytes, 200, {
      ...attachment(file.name, "application/octet-stream"),
      "Content-Length": String(file.size),
    });
  });
  get(`${SUBMISSION}/previews/:file`, "forms:read", async (c, { form, id, file: number }) => {
    const preview = await openPreview(app, await submissionOf(app, c.get("caller"), form, id), number);
    if (!preview) throw new AppError("not_found", "this file is not an image that can be shown");
    const { file, type, bytes } = preview;
    // Nothing in an image may run or load, even if it is opened by itself.
    return c.body(bytes, 200, {
      ...attachment(file.name, type),
      "Content-Disposition": "inline",
      "Content-Length": String(file.size),
    });
  });
  post(`${SUBMISSION}/retry`, "forms:write", async (c, _, { form, id }) => {
    const place = await submissionOf(app, c.get("caller"), form, id);
    const submission = place.id;
    const query = { form: null, submission, status: "failed", before: null, limit: MAX_RETRIED } as const;
    const { items } = await listDeliveries(app, c.get("caller"), query);
    const ids = items.map((delivery) => delivery.id);
    if (ids.length > 0) await perform(c, deliveries.retry, { body: { ids } });
    const to = submissionPath(place);
    return { to, text: `${counted(ids.length, "delivery", "deliveries")} sent again.` };
  });
}

/**
 * The submissions of a form as a file. The address takes the filters of the list, also by the names of the admin API;
 * without a folder it is everything but spam. Throws `invalid`, `not_found`.
 */
export async function answerExport(
  { perform, options, viewOf }: Dashboard,
  c: DashboardContext,
  form: string,
): Promise<Response> {
  const given = (...names: string[]) => names.map((name) => c.req.query(name)).find(Boolean);
  const filters = readFilters(({ parameter, name }) => given(parameter, name));
  const format = given("format");
  // A person opens it in a spreadsheet, which recognizes UTF-8 by the mark.
  const query = {
    ...filtersOf({ ...filters, flag: "" }, viewOf(c).timeZone),
    unread: filters.unread === "" ? undefined : "true",
    flag: c.req.queries("flag")?.filter((text) => text !== ""),
    field: c.req.queries("field"),
    state: given("folder", "state"),
    format,
    bom: format === "csv" || format === "zip" ? "true" : undefined,
    delimiter: given("delimiter"),
  };
  const file: unknown = await perform(c, submissions.export, { names: { form }, query });
  const { name, type, content } = file as Download & { content: Chunks };
  return sendFile(c, { name, type, chunks: content }, options.report);
}

type Chunks = AsyncGenerator<string | Uint8Array>;

/** A file that is made while it is sent. */
export function sendFile(
  c: DashboardContext,
  { name, type, chunks }: { name: string; type: string; chunks: Chunks },
  report: Dashboard["options"]["report"],
): Response {
  const stream = streamOf(chunks, (error) => report.error(error, c.req.raw), c.get("caller"));
  return c.body(stream, 200, attachment(name, type));
}
