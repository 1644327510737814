import type { Caller } from "../../../access/caller.ts";
import { shortName } from "../../../access/place.ts";
import { hasScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { inbox } from "../../../operations/inbox.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import type { Dashboard } from "../routes.ts";
import { getForm } from "../../../forms/forms.ts";
import { chosenIn, shownName } from "../forms/form-words.ts";
import { SUBMISSION, answerExport, submissionOf, submissionRoutes } from "../submissions/submission.ts";
import { listPage } from "./list.tsx";
import { loadList, loadReading } from "./load.ts";
import { markRoutes } from "./marks.ts";
import { oldestRoute } from "./oldest.ts";
import { matchingRoutes } from "./matching.tsx";
import { type InboxQuery, addressIn, isOn, readQuery } from "./query.ts";
import { submissionPage } from "../submissions/submission-page.tsx";
import type { Submission } from "../../../forms/submission.ts";
import type { Typed } from "../submissions/work.tsx";
import { workRoutes } from "../submissions/work-actions.ts";
import { viewRoutes } from "./views.tsx";

/** The inbox: lists of submissions, each with its page, and what is done with them. */
export function inboxRoutes(dashboard: Dashboard) {
  const { app, options, root, get, perform, viewOf } = dashboard;
  const parameter = (c: DashboardContext) => (name: string) => c.req.query(name);

  const showList = async (c: DashboardContext, form: string | null): Promise<Page> => {
    const query = readQuery(parameter(c), form);
    const { views = [] } = c.get("session")!.signedIn.user.settings;
    return listPage({ ...(await loadList(app, c.get("caller"), query, viewOf(c).timeZone)), views });
  };

  const reading = async (
    c: DashboardContext,
    submission: Submission,
    query: InboxQuery,
    typed: Typed,
  ): Promise<Page> => {
    const loaded = await loadReading(app, c.get("caller"), submission, query, viewOf(c).timeZone);
    const mails = (await options.outgoing()).mail !== null;
    const { views = [] } = c.get("session")!.signedIn.user.settings;
    return submissionPage({ ...loaded, views, mails, typed });
  };

  get("/inbox", "forms:read", async (c) => {
    const chosen = c.req.query("form");
    if (chosen === undefined) return showList(c, null);
    const query = readQuery(parameter(c), chosen.trim() || null);
    return c.redirect(`${root}${addressIn({ ...query, before: null })}`, 303);
  });
  markRoutes(dashboard);
  matchingRoutes(dashboard);
  viewRoutes(dashboard);
  oldestRoute(dashboard);
  get("/inbox/:form", "forms:read", async (c, { form }) => {
    if (chosenIn(form).form === null) return showList(c, form);
    // A slug without its project, and a key, lead to the name that the counts of the list have.
    const [found, page] = await Promise.all([getForm(app, c.get("caller"), form), showList(c, form)]);
    const own = shortName(found);
    if (own === shownName(form)) return page;
    return c.redirect(`${root}${addressIn(readQuery(parameter(c), own))}`, 303);
  });
  get("/inbox/:form/export", "forms:read", (c, { form }) => answerExport(dashboard, c, form));
  get(SUBMISSION, "forms:read", async (c, { form, id }) => {
    const opened = await submissionOf(app, c.get("caller"), form, id);
    const isOpened = c.req.method === "GET" && !c.req.header("sec-purpose")?.includes("prefetch");
    const isRead = isOpened && (await becomesRead(app, c.get("caller"), opened));
    if (isRead) await perform(c, inbox.mark, { body: { ids: [opened.id], mark: "read" } });
    const submission = isRead ? { ...opened, read: true } : opened;
    const all = c.req.query("all");
    const own = shortName({ project: submission.project, slug: submission.form });
    const list = isOn(all) ? null : all?.endsWith(":") ? all : own;
    const read = (name: string) => c.req.query(name) ?? (name === "folder" ? submission.state : undefined);
    const query = readQuery(read, list);
    return reading(c, submission, query, { faults: {} });
  });
  workRoutes(dashboard, reading);
  submissionRoutes(dashboard);
}

/** Whether a submission becomes read once a caller opens it: one that may mark it, unless it was marked as unread. */
async function becomesRead(
  { store }: App,
  caller: Caller,
  { id, project, read }: Submission,
): Promise<boolean> {
  if (read || !hasScope(caller, "forms:write", { project })) return false;
  return !(await store.submissions.marks(id)).some(({ mark }) => mark === "unread");
}
