import type { FormPlace } from "../access/place.ts";

/**
 * A form as callers name it: its slug or key, or the slug of its project, a colon and its slug or key. No slug and no key has
 * a colon.
 */
export type FormName = string;

/** The name of a form in a project; without one, it is looked up in every project. */
export function nameIn(project: string | null | undefined, form: string): FormName {
  return project == null ? form : `${project}:${form}`;
}

/** The unambiguous name of a form. */
export function fullName({ project, slug }: FormPlace): FormName {
  return nameIn(project, slug);
}

/** The parts of a name; the project is null where it has none. */
export function parseFormName(name: FormName): { project: string | null; slugOrKey: string } {
  const at = name.indexOf(":");
  return at === -1
    ? { project: null, slugOrKey: name }
    : { project: name.slice(0, at), slugOrKey: name.slice(at + 1) };
}
