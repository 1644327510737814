import { DEFAULT_PROJECT, type FormPlace, shortName } from "../../../access/place.ts";
import { requireScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import type { Form } from "../../../forms/form.ts";
import { getForm } from "../../../forms/forms.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { parseFormName } from "../../../forms/form-name.ts";

/** A form as a command names it: its slug, and its project unless that is `default`. */
export function namedForm({ project, slug }: FormPlace): [slug: string, options: { p?: string }] {
  return [slug, project === DEFAULT_PROJECT ? {} : { p: project }];
}

/** The pages above that of a form: all forms, and those of its project. */
export function crumbsOf({ form, projectName }: { form: FormPlace; projectName: string }) {
  const { project } = form;
  return [
    { to: "/forms", label: "Forms" },
    { to: `/forms?project=${encodeURIComponent(project)}`, label: projectName },
  ];
}

/** The same by the short name of a form; null for none. */
export function namedShort(name: string | null): { form: string | null; p?: string } {
  if (name === null) return { form: null };
  const { project, slugOrKey } = parseFormName(name);
  return { form: slugOrKey === "" ? null : slugOrKey, ...(project !== null && { p: project }) };
}

/** The short name of a form that pages show, of one that names its project too; null for none. */
export function shownName(name: string | null): string | null {
  if (name === null) return null;
  const { project, slugOrKey: slug } = parseFormName(name);
  if (slug === "") return project;
  return project === null ? slug : shortName({ project, slug });
}

/** The short name of the form of a submission, a delivery or a count. */
export function formOf({ project, form }: { project: string; form: string }): string {
  return shortName({ project, slug: form });
}

/** The forms that a list is about: one, or by a slug and a colon those of a project; null for all. */
export function chosenIn(name: string | null): { form: string | null; project: string | null } {
  const { project, slugOrKey } = parseFormName(name ?? "");
  return slugOrKey === "" ? { form: null, project } : { form: name, project: null };
}

/** The name of the project of a form. */
export async function projectNameOf(app: App, { project }: { project: string }): Promise<string> {
  return (await app.store.projects.find(project))?.name ?? project;
}

/** A form that the caller may change. Throws `forbidden`, `not_found`. */
export async function writableForm(app: App, c: DashboardContext, name: string): Promise<Form> {
  const form = await getForm(app, c.get("caller"), name);
  requireScope(c.get("caller"), "forms:write", { project: form.project });
  return form;
}
