import type { Caller } from "../../access/caller.ts";
import { change, type Plan } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import type { ProjectChange } from "../../projects/change.ts";
import { requireChangeable } from "../../projects/locks.ts";
import { requireNoOpenedForm } from "../../projects/opened-forms.ts";
import { projectEntry } from "../../projects/plan.ts";
import { getProject } from "../../projects/projects.ts";
import type { ProjectsStore } from "../../projects/store.ts";
import type { FormChange } from "../change.ts";
import { filledSegment } from "../form.ts";
import { planDeletion } from "../plan.ts";
import type { FormsApp } from "../store.ts";
import { beginRemoval } from "./removal.ts";

type DeletionApp = FormsApp & { store: ProjectsStore };

/**
 * Deletes a project with its environments, flags, forms and history. Submissions and files are removed in steps, in the
 * background if there are many. Throws `not_found`, `forbidden`, `conflict` where one of its flags opens a form or one of its forms fills a
 * segment of another project, and `unconfirmed` for a lock, and for submissions unless the
 * caller confirmed the slug of the project.
 */
export async function deleteProject(app: DeletionApp, caller: Caller, slug: string): Promise<void> {
  requireScope(caller, "admin");
  await change(app, caller, async (): Promise<Plan<ProjectChange | FormChange, void>> => {
    const { name } = await getProject(app, slug);
    await requireChangeable(app, caller, { project: slug });
    await requireNoOpenedForm(app, caller, { project: slug });
    const forms = await app.store.forms.list([slug]);
    for (const form of forms) {
      const filled = (await app.store.forms.filledBy(form.key)).filter(({ project }) => project !== slug);
      if (filled.length > 0) throw filledSegment(caller, form.slug, filled);
    }
    const isConfirmed = caller.hasConfirmed(slug);
    if (!isConfirmed) {
      let count = 0;
      for (const { key } of forms) count += await app.store.submissions.count(key);
      if (count > 0) throw holdsSubmissions(slug, count, forms.length);
    }
    const history = projectEntry(slug, name, null);
    return {
      changes: [
        // A submission that arrives after it was counted makes another plan.
        ...forms.map((form) => planDeletion(form, !isConfirmed)),
        { change: "deleteProject", project: slug, history },
      ],
      result: undefined,
    };
  });
  await beginRemoval(app);
}

function holdsSubmissions(slug: string, count: number, forms: number): AppError {
  const what = `${count} ${count === 1 ? "submission" : "submissions"} of ${forms} ${forms === 1 ? "form" : "forms"}`;
  return new AppError("unconfirmed", `project ${slug} holds ${what}, which would be deleted too`, {
    reason: "project-unconfirmed",
    hint: "confirm it by the slug of the project, in the header X-Confirm",
  });
}
