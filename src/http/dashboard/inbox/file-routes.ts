import { counted } from "../parts/counted.ts";
import { Hono } from "hono/quick";
import { AppError } from "../../../base/errors.ts";
import { listDeliveries, retryDeliveries } from "../../../forms/deliveries.ts";
import { openPreview } from "../../../forms/inbox/file-preview.ts";
import { getSubmission, openFile } from "../../../forms/submissions.ts";
import { attachment } from "../../attachment.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import type { Dashboard } from "../routes.ts";
import { submissionPath } from "./rows.tsx";

/** Failed deliveries of a submission that are queued again at once. */
const MAX_RETRIED = 100;

/** What belongs to a submission: its files, itself as JSON, and its failed deliveries. */
export function fileRoutes({ app, page, action }: Dashboard) {
  const idIn = async (c: DashboardContext): Promise<string> => {
    const { id, form } = await getSubmission(app, c.req.param("id")!);
    if (form !== c.req.param("form")) throw new AppError("not_found", "this form has no such submission");
    return id;
  };

  return new Hono<DashboardEnv>()
    .get(
      "/inbox/:form/:id/json",
      page("forms:read", async (c) => {
        const submission = await getSubmission(app, await idIn(c));
        const text = `${JSON.stringify(submission, null, 2)}\n`;
        return c.body(text, 200, attachment(`${submission.id}.json`, "application/json"));
      }),
    )
    .get(
      "/inbox/:form/:id/files/:file",
      page("forms:read", async (c) => {
        const { file, bytes } = await openFile(app, await idIn(c), c.req.param("file")!);
        return c.body(bytes, 200, {
          ...attachment(file.name, "application/octet-stream"),
          "Content-Length": String(file.size),
        });
      }),
    )
    .get(
      "/inbox/:form/:id/previews/:file",
      page("forms:read", async (c) => {
        const preview = await openPreview(app, await idIn(c), c.req.param("file")!);
        if (!preview) throw new AppError("not_found", "this file is not an image that can be shown");
        const { file, type, bytes } = preview;
        // Nothing in an image may run or load, even where it is opened by itself.
        return c.body(bytes, 200, {
          ...attachment(file.name, type),
          "Content-Disposition": "inline",
          "Content-Length": String(file.size),
        });
      }),
    )
    .post(
      "/inbox/:form/:id/retry",
      action("forms:write", async (c) => {
        const submission = await idIn(c);
        const query = { form: null, submission, status: "failed", before: null, limit: MAX_RETRIED } as const;
        const { items } = await listDeliveries(app, query);
        const ids = items.map(({ id }) => id);
        if (ids.length > 0) await retryDeliveries(app, c.get("caller"), { ids });
        const to = submissionPath({ form: c.req.param("form")!, id: submission });
        return { to, text: `${counted(ids.length, "delivery", "deliveries")} sent again.` };
      }),
    );
}
