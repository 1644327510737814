import { type Deleted, openedBy, opensForm } from "./opened-form.ts";
import type { ProjectsStore } from "./store.ts";

/** Throws `conflict` with the name of a form that is open while a flag in what is deleted is true. */
export async function requireNoOpenedForm(
  { store }: { store: Pick<ProjectsStore, "projects"> },
  deleted: Deleted,
): Promise<void> {
  const [opened] = openedBy(await store.projects.openedForms(deleted.project), deleted);
  if (opened) throw opensForm(deleted.project, opened);
}
