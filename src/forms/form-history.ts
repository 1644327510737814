import type { Caller } from "../access/caller.ts";
import { visibleProjects } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { Page } from "../base/pages.ts";
import type { Revision, RevisionQuery } from "../projects/history.ts";
import type { ProjectsStore } from "../projects/store.ts";
import type { FormRecord } from "./form.ts";
import { type FormName, parseFormName } from "./form-name.ts";
import { findForm, selectProjects } from "./lookup.ts";
import type { FormsApp } from "./store.ts";

type HistoryApp = FormsApp & { store: Pick<ProjectsStore, "changes"> };

/** The form is null where it was deleted. */
type FormHistory = { form: FormRecord | null; page: Page<Revision> };

/**
 * The changes of a form and its targets, newest first, also of one that was deleted. Throws `not_found` for a form that does
 * not exist and never did, `conflict` and `forbidden`.
 */
export async function listFormRevisions(
  app: HistoryApp,
  caller: Caller,
  name: FormName,
  query: RevisionQuery,
): Promise<FormHistory> {
  const { changes } = app.store;
  try {
    const form = await findForm(app, caller, "forms:read", name);
    return { form, page: await changes.ofForm(form.project, form.slug, query) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    const { project, slugOrKey: slug } = parseFormName(name);
    const projects =
      (project === null
        ? visibleProjects(caller, "forms:read")
        : await selectProjects(app, caller, "forms:read", project)) ??
      (await app.store.projects.list()).map((each) => each.slug);
    for (const each of projects) {
      const known = await changes.ofForm(each, slug, { limit: 1 });
      if (known.items.length > 0) return { form: null, page: await changes.ofForm(each, slug, query) };
    }
    throw error;
  }
}
