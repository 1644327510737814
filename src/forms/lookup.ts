import type { Caller } from "../access/caller.ts";
import { noSuchProject } from "../access/place.ts";
import { requireScope, requireScopeSomewhere, visibleProjects } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import { noSuchForm, type FormRecord } from "./form.ts";
import { type FormName, parseFormName } from "./form-name.ts";
import type { FormsApp } from "./store.ts";
import { noSuchSubmission } from "./submission.ts";

/** A scope of forms. */
export type FormScope = "forms:read" | "forms:write";

/**
 * Finds a form by its name, among what the caller sees. Throws `not_found`, `conflict` if forms of several
 * projects have the name, and `forbidden` without the scope in the project of the form.
 */
export async function findForm(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  name: FormName,
): Promise<FormRecord> {
  const { project, slugOrKey } = parseFormName(name);
  if (project !== null) requireScope(caller, "forms:read", { project });
  const visible = project === null ? visibleProjects(caller, "forms:read") : [project];
  const seen = (await app.store.forms.named(slugOrKey)).filter(
    (form) => visible === null || visible.includes(form.project),
  );
  // A slug wins over the key of another form.
  const bySlug = seen.filter(({ slug }) => slug === slugOrKey);
  const [form, ...others] = bySlug.length > 0 ? bySlug : seen;
  if (!form) throw noSuchForm(slugOrKey, project);
  if (others.length > 0) throw severalForms(slugOrKey, bySlug);
  requireScope(caller, scope, { project: form.project });
  return form;
}

function severalForms(slug: string, forms: readonly FormRecord[]): AppError {
  const projects = forms.map(({ project }) => project);
  const named = `${projects.slice(0, -1).join(", ")} and ${projects.at(-1)}`;
  return new AppError("conflict", `form "${slug}" exists in the projects ${named}`, {
    reason: "form-ambiguous",
    hint: "name the project too",
  });
}

/** Selects forms for a list or an action: one form, those of a project, or all that the caller sees. */
export type FormSelection = { form?: FormName | null | undefined; project?: string | null | undefined };

/**
 * The projects of which forms are selected; null for every project. Throws `not_found` for a project that does not exist or
 * that the caller does not see, and `forbidden`.
 */
export async function selectProjects(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  project: string | null | undefined,
): Promise<readonly string[] | null> {
  if (project == null) {
    requireScopeSomewhere(caller, scope);
    return visibleProjects(caller, scope);
  }
  requireScope(caller, scope, { project });
  if (!(await app.store.projects.find(project))) throw noSuchProject(project);
  return [project];
}

/**
 * The forms that are selected, for which the caller has the scope. Throws as {@link findForm} and {@link selectProjects}.
 */
export async function selectForms(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  { form, project }: FormSelection,
): Promise<FormRecord[]> {
  if (form != null) return [await findForm(app, caller, scope, form)];
  return app.store.forms.list(await selectProjects(app, caller, scope, project));
}

/** The keys of the forms that are selected, as {@link selectForms}; null for those of every form. */
export async function selectKeys(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  selection: FormSelection,
): Promise<ReadonlySet<string> | null> {
  const { form, project } = selection;
  if (form == null && project == null && visibleProjects(caller, scope) === null) return null;
  return new Set((await selectForms(app, caller, scope, selection)).map(({ key }) => key));
}

/**
 * The submissions among some that exist and that the caller sees, by their ids. Throws `forbidden` where the caller lacks the scope in the
 * project of one of them.
 */
export async function seenSubmissions(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (visibleProjects(caller, scope) === null) return ids;
  const visible = visibleProjects(caller, "forms:read");
  const standing = await app.store.submissions.standing(ids);
  return ids.filter((id) => {
    const project = standing[id]?.project;
    if (project === undefined || (visible !== null && !visible.includes(project))) return false;
    requireScope(caller, scope, { project });
    return true;
  });
}

/** Throws `not_found` for the first of some submissions that the caller does not see, and as {@link seenSubmissions}. */
export async function requireSubmissions(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  ids: readonly string[],
): Promise<void> {
  const seen = new Set(await seenSubmissions(app, caller, scope, ids));
  for (const id of ids) if (!seen.has(id)) throw noSuchSubmission(id);
}

/** Whether a caller sees the notices of a project. */
export function seesFlagsOf(caller: Caller, project: string): boolean {
  const visible = visibleProjects(caller, "flags:read");
  return visible === null || visible.includes(project);
}

/** Whether a caller sees what belongs to forms of a project. */
export function seesFormsOf(caller: Caller, project: string): boolean {
  const visible = visibleProjects(caller, "forms:read");
  return visible === null || visible.includes(project);
}
