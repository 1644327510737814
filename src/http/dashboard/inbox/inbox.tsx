import { Hono } from "hono/quick";
import { AppError } from "../../../base/errors.ts";
import { getSubmission } from "../../../forms/submissions.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Dashboard } from "../routes.ts";
import { deletePage } from "./delete-page.tsx";
import { answerExport } from "./export.ts";
import { fileRoutes } from "./file-routes.ts";
import { listPage } from "./list.tsx";
import { loadList, loadReading } from "./load.ts";
import { backIn, deleteSelected, idsIn, markSelected, undoMark } from "./marks.ts";
import { matchingRoutes } from "./matching-routes.tsx";
import { addressIn, isOn, queryIn, readQuery } from "./query.ts";
import { submissionPage } from "./submission-page.tsx";
import { createUndos } from "./undo.ts";

/** The inbox: lists of submissions, each with its page, and what is done with them. */
export function inboxRoutes(dashboard: Dashboard) {
  const { app, options, root, page, action, viewOf } = dashboard;
  const undos = createUndos(app.now, app.store.shared);
  const parameter = (c: DashboardContext) => (name: string) => c.req.query(name);

  const showList = async (c: DashboardContext, form: string | null): Promise<Page> => {
    const query = readQuery(parameter(c), form);
    return listPage(await loadList(app, c.get("caller"), query, viewOf(c).timeZone));
  };

  /** The submission of a path; undefined where it belongs to another form. */
  const submissionOf = async (c: DashboardContext) => {
    const submission = await getSubmission(app, c.req.param("id")!);
    return { submission, isHere: submission.form === c.req.param("form") };
  };

  /** Asks for a deletion; the rows that the form names may be gone already. */
  const askDelete = async (fields: Fields): Promise<Page> => {
    const found = await Promise.all(idsIn(fields).map((id) => app.store.submissions.find(id)));
    const present = found.filter((each) => each !== undefined);
    return deletePage(present, queryIn(fields), backIn(fields));
  };

  return new Hono<DashboardEnv>()
    .get(
      "/inbox",
      page("forms:read", async (c) => {
        const chosen = c.req.query("form");
        if (chosen === undefined) return showList(c, null);
        const query = readQuery(parameter(c), chosen.trim() || null);
        return c.redirect(`${root}${addressIn({ ...query, before: null })}`, 303);
      }),
    )
    .post(
      "/inbox/marks",
      action("forms:write", async (c, fields) => {
        if (idsIn(fields).length === 0)
          return { to: backIn(fields), text: "Nothing was selected: tick some submissions first." };
        if (textOf(fields, "mark") === "delete") return askDelete(fields);
        return markSelected(app, undos, c.get("caller"), fields);
      }),
    )
    .post(
      "/inbox/undo",
      action("forms:write", (c, fields) => undoMark(app, undos, c.get("caller"), fields)),
    )
    .post(
      "/inbox/delete",
      action("forms:write", (c, fields) => deleteSelected(app, c.get("caller"), fields)),
    )
    .route("/", matchingRoutes(dashboard, undos))
    .get(
      "/inbox/:form",
      page("forms:read", async (c) => showList(c, c.req.param("form")!)),
    )
    .get(
      "/inbox/:form/export",
      page("forms:read", async (c) =>
        answerExport(c, app, {
          slug: c.req.param("form")!,
          timeZone: viewOf(c).timeZone,
          report: options.report,
        }),
      ),
    )
    .get(
      "/inbox/:form/:id",
      page("forms:read", async (c) => {
        const { submission, isHere } = await submissionOf(c);
        if (!isHere) throw new AppError("not_found", "this form has no such submission");
        const list = isOn(c.req.query("all")) ? null : submission.form;
        const read = (name: string) =>
          c.req.query(name) ?? (name === "folder" ? submission.state : undefined);
        const query = readQuery(read, list);
        return submissionPage(await loadReading(app, c.get("caller"), submission, query, viewOf(c).timeZone));
      }),
    )
    .route("/", fileRoutes(dashboard));
}
