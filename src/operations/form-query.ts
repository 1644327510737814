import { type FormName, nameIn } from "../forms/form-name.ts";

/** The form in the path of an operation, in the project of its query. */
export function formIn({ form }: { form: string }, { project }: { project?: string | undefined }): FormName {
  return nameIn(project, form);
}

/** The selection in a query or a body: a form, in a project or in all that the caller sees, or the forms of a project. */
export function selectionIn({ form, project }: { form?: string | undefined; project?: string | undefined }): {
  form: FormName | null;
  project: string | null;
} {
  return { form: form === undefined ? null : nameIn(project, form), project: project ?? null };
}
