import { visibleProjects } from "../access/rights.ts";
import type { App } from "../app.ts";
import { DEFAULT_PAGE, nextOf } from "../base/pages.ts";
import { noSuchFlag, viewDetail } from "../flags/flag.ts";
import { noSuchSegment } from "../flags/segment.ts";
import { getEnvironment } from "../projects/environments.ts";
import { listFormRevisions } from "../forms/form-history.ts";
import { nameIn } from "../forms/form-name.ts";
import { type RevisionQuery, viewRevision, viewPlacedRevision } from "../projects/history.ts";
import { noun } from "./operation.ts";
import { revisionIn } from "./results.ts";

export const history = noun("history", () => import("./schema/history-schema.ts"), {
  list: {
    method: "GET",
    path: "/projects/:project/history",
    tool: "flags_history",
    summary: "List the changes in a project, newest first",
    scope: "flags:read",
    place: "environment",
    levels: 2,
    defaults: { limit: DEFAULT_PAGE },
    run: ({ app, names, query }) => listChanges(app, names.project, withTime(query)),
  },
  ofFlag: {
    method: "GET",
    path: "/projects/:project/flags/:flag/history",
    summary: "List the changes of a flag, newest first",
    scope: "flags:read",
    place: "environment",
    levels: 2,
    defaults: { limit: DEFAULT_PAGE },
    run: ({ app, names, query }) =>
      listChanges(app, names.project, { ...withTime(query), kind: "flag", name: names.flag }),
  },
  everywhere: {
    method: "GET",
    path: "/history",
    summary: "List the changes of every project and form that the caller sees, newest first",
    scope: "read",
    place: "seen",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, caller, query }) => {
      const page = await app.store.changes.everywhere(withTime(query), visibleProjects(caller, "read"));
      return { changes: page.items.map(viewPlacedRevision), next: nextOf(page, ({ revision }) => revision) };
    },
  },
  ofForm: {
    method: "GET",
    path: "/forms/:form/history",
    summary: "List the changes of a form and its targets, newest first",
    scope: "forms:read",
    place: "form",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, caller, names, query: { project, ...query } }) => {
      const { page } = await listFormRevisions(app, caller, nameIn(project, names.form), withTime(query));
      return { changes: page.items.map(viewRevision), next: nextOf(page, ({ revision }) => revision) };
    },
  },
  rollback: {
    method: "POST",
    path: "/projects/:project/environments/:environment/flags/:flag/rollback",
    tool: "flags_rollback",
    summary: "Set a flag in an environment to what it was after a revision, or before its newest change",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    run: async ({ app, caller, names, body: { to = "before", before, scheduled }, ifMatch, tag }) => {
      const { rollbackFlag } = await import("../flags/flags.ts");
      const point = before === undefined ? (to === "before" ? { before: null } : to) : { undone: before };
      const { record, result } = await rollbackFlag(
        app,
        caller,
        names,
        point,
        revisionIn(ifMatch),
        scheduled,
      );
      tag(record.revision);
      return { ...viewDetail(record, app.now()), result };
    },
  },
  undo: {
    method: "POST",
    path: "/projects/:project/history/undo",
    summary: "Take back changes of flags that were made together, all or none",
    scope: "flags:write",
    place: "project",
    proposes: true,
    run: async ({ app, caller, names, body }) => {
      const { undoFlags } = await import("../flags/undo.ts");
      return { undone: await undoFlags(app, caller, names.project, body) };
    },
  },
});

/** A filter with its time in milliseconds since 1970. */
function withTime<T extends { since?: string | undefined }>({ since, ...filter }: T) {
  return { ...filter, since: since === undefined ? undefined : Date.parse(since) };
}

async function listChanges(app: App, project: string, filter: RevisionQuery) {
  const page = await app.store.changes.page(project, filter);
  if (page.items.length === 0) await requireKnown(app, project, filter);
  return { changes: page.items.map(viewRevision), next: nextOf(page, ({ revision }) => revision) };
}

/** Throws `not_found` for an environment, a flag or a segment that does not exist and never did. */
async function requireKnown(
  app: App,
  project: string,
  { kind, name, environment }: RevisionQuery,
): Promise<void> {
  if (environment !== undefined) await getEnvironment(app, project, environment);
  if (kind === undefined || name === undefined) return;
  const { items } = await app.store.changes.page(project, { kind, name, limit: 1 });
  if (items.length > 0) return;
  if (kind === "environment") await getEnvironment(app, project, name);
  if (kind === "segment") throw noSuchSegment(name);
  if (kind !== "flag") return;
  const [first] = await app.store.environments.list(project);
  if (!first || !(await app.store.flags.find({ project, environment: first.slug, flag: name })))
    throw noSuchFlag(name);
}
