import { counted } from "../parts/text.tsx";
import { AppError } from "../../../base/errors.ts";
import { listDeliveries } from "../../../forms/deliveries.ts";
import { deliveries } from "../../../operations/deliveries.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { type FormName, parseFormName } from "../../../forms/form-name.ts";
import type { Submission } from "../../../forms/submission.ts";
import { openPreview } from "../../../forms/inbox/file-preview.ts";
import { getSubmission, openFile } from "../../../forms/submissions.ts";
import { attachment } from "../../attachment.ts";
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
