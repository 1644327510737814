import type { Caller } from "../../../access/caller.ts";
import { shortName } from "../../../access/place.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Dashboard } from "../routes.ts";
import { getForm } from "../../../forms/forms.ts";
import { chosenIn, shownName } from "../forms/form-words.ts";
import { deletePage } from "./delete-page.tsx";
import { answerExport } from "../submissions/export.ts";
import { SUBMISSION, submissionOf, submissionRoutes } from "../submissions/submission.ts";
import { seenSubmissions } from "../../../forms/lookup.ts";
import { markAsRead } from "../../../forms/inbox/submission-marks.ts";
import { listPage } from "./list.tsx";
import { loadList, loadReading } from "./load.ts";
import { backIn, deleteSelected, idsIn, markSelected, undoMark } from "./marks.ts";
import { matchingRoutes } from "./matching.tsx";
import { type InboxQuery, addressIn, isOn, queryIn, readQuery } from "./query.ts";
import { submissionPage } from "../submissions/submission-page.tsx";
import type { Submission } from "../../../forms/submission.ts";
import type { Typed } from "../submissions/work.tsx";
import { workRoutes } from "../submissions/work-actions.ts";
import { viewRoutes } from "./views.tsx";
import { createUndos } from "./undo.ts";

/** The inbox: lists of submissions, each with its page, and what is done with them. */
export function inboxRoutes(dashboard: Dashboard) {
  const { app, options, root, get, post, viewOf } = dashboard;
  const undos = createUndos(app.now, app.store.shared);
  const parameter = (c: DashboardContext) => (name: string) => c.req.query(name);

  const showList = async (c: DashboardContext, form: string | null): Promise<Page> => {
    const query = readQuery(parameter(c), form);
    const { views = [] } = c.get("session")!.signedIn.user.settings;
    return listPage({ ...(await loadList(app, c.get("caller"), query, viewOf(c).timeZone)), views });
  };

  /** Asks for a deletion; the rows that the form names may be gone already. */
  const askDelete = async (caller: Caller, fields: Fields): Promise<Page> => {
    const seen = await seenSubmissions(app, caller, "forms:write", idsIn(fields));
    const found = await Promise.all(seen.map((id) => app.store.submissions.find(id)));
    const present = found.filter((each) => each !== undefined);
    return deletePage(present, queryIn(fields), backIn(fields));
  };

  const reading = async (
    c: DashboardContext,
    submission: Submission,
    query: InboxQuery,
    typed: Typed,
  ): Promise<Page> => {
    const loaded = await loadReading(app, c.get("caller"), submission, query, viewOf(c).timeZone);
    const mails = (await options.outgoing()).mail !== null;
    return submissionPage({ ...loaded, mails, typed });
  };

  get("/inbox", "forms:read", async (c) => {
    const chosen = c.req.query("form");
    if (chosen === undefined) return showList(c, null);
    const query = readQuery(parameter(c), chosen.trim() || null);
    return c.redirect(`${root}${addressIn({ ...query, before: null })}`, 303);
  });
  post("/inbox/marks", "forms:write", async (c, fields) => {
    if (idsIn(fields).length === 0)
      return { to: backIn(fields), text: "Nothing was selected: tick some submissions first." };
    if (textOf(fields, "mark") === "delete") return askDelete(c.get("caller"), fields);
    return markSelected(app, undos, c.get("caller"), fields);
  });
  post("/inbox/undo", "forms:write", (c, fields) => undoMark(app, undos, c.get("caller"), fields));
  post("/inbox/delete", "forms:write", (c, fields) => deleteSelected(app, c.get("caller"), fields));
  matchingRoutes(dashboard, undos);
  viewRoutes(dashboard);
  get("/inbox/:form", "forms:read", async (c, { form }) => {
    if (chosenIn(form).form === null) return showList(c, form);
    // A slug without its project, and a key, lead to the name that the counts of the list have.
    const own = shortName(await getForm(app, c.get("caller"), form));
    if (own === shownName(form)) return showList(c, form);
    return c.redirect(`${root}${addressIn(readQuery(parameter(c), own))}`, 303);
  });
  get("/inbox/:form/export", "forms:read", (c, { form: slug }) =>
    answerExport(c, app, { slug, timeZone: viewOf(c).timeZone, report: options.report }),
  );
  get(SUBMISSION, "forms:read", async (c, { form, id }) => {
    const opened = await submissionOf(app, c.get("caller"), form, id);
    const isOpened = c.req.method === "GET" && !c.req.header("sec-purpose")?.includes("prefetch");
    const submission = isOpened ? await markAsRead(app, c.get("caller"), opened) : opened;
    const all = c.req.query("all");
    const own = shortName({ project: submission.project, slug: submission.form });
    const list = isOn(all) ? null : all?.endsWith(":") ? all : own;
    const read = (name: string) => c.req.query(name) ?? (name === "folder" ? submission.state : undefined);
    const query = readQuery(read, list);
    return reading(c, submission, query, { faults: {} });
  });
  workRoutes(dashboard, undos, reading);
  submissionRoutes(dashboard);
}
