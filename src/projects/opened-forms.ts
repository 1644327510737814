import type { Rights } from "../access/rights.ts";
import { type Deleted, openedBy, opensForm } from "./opened-form.ts";
import type { ProjectsStore } from "./store.ts";

/** Throws `conflict` for a form that is open while a flag in what is deleted is true. */
export async function requireNoOpenedForm(
  { store }: { store: Pick<ProjectsStore, "projects"> },
  caller: Rights,
  deleted: Deleted,
): Promise<void> {
  const opened = openedBy(await store.projects.openedForms(deleted.project), deleted);
  if (opened.length > 0) throw opensForm(caller, deleted.project, opened);
}
