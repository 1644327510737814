import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { noSuchProject } from "../access/place.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { SetResult } from "../base/result.ts";
import type { ProjectChange } from "./change.ts";
import { planProject, projectEntry } from "./plan.ts";
import { requireChangeable } from "./locks.ts";
import { newProject, type NewProject, type Project } from "./project.ts";
import type { ProjectsApp } from "./store.ts";

/** Creates a project with its keys and environments. Throws `conflict` for a slug in use, `forbidden`. */
export function createProject(app: ProjectsApp, caller: Caller, input: NewProject): Promise<Project> {
  requireScope(caller, "admin");
  return change(app, caller, async ({ at }): Promise<Plan<ProjectChange, Project>> => {
    if (await app.store.projects.find(input.slug)) {
      throw new AppError("conflict", `project "${input.slug}" already exists`, { reason: "project-exists" });
    }
    const { createdAt: _createdAt, ...project } = newProject(app, input);
    return { changes: planProject(project, at), result: project };
  });
}

/** The project of that slug. Throws `not_found`. */
export async function getProject(app: ProjectsApp, slug: string): Promise<Project> {
  const project = await app.store.projects.find(slug);
  if (!project) throw noSuchProject(slug);
  return project;
}

/** A project after a change, and whether the change altered it. */
type ChangedProject = { project: Project; result: SetResult };

/** Gives a project another name for people. Throws `not_found`, `forbidden`. */
export function renameProject(
  app: ProjectsApp,
  caller: Caller,
  slug: string,
  name: string,
): Promise<ChangedProject> {
  requireScope(caller, "admin");
  return change(app, caller, async (): Promise<Plan<ProjectChange, ChangedProject>> => {
    const before = await getProject(app, slug);
    if (name === before.name) return { changes: [], result: { project: before, result: "unchanged" } };
    return {
      changes: [
        { change: "renameProject", project: slug, name, history: projectEntry(slug, before.name, name) },
      ],
      result: { project: { ...before, name }, result: "updated" },
    };
  });
}

/** Deletes a project with its environments, flags and history. Throws `not_found`, `forbidden`, and `unconfirmed` for a lock. */
export function deleteProject(app: ProjectsApp, caller: Caller, slug: string): Promise<void> {
  requireScope(caller, "admin");
  return change(app, caller, async (): Promise<Plan<ProjectChange, void>> => {
    const { name } = await getProject(app, slug);
    await requireChangeable(app, caller, { project: slug });
    const history = projectEntry(slug, name, null);
    return { changes: [{ change: "deleteProject", project: slug, history }], result: undefined };
  });
}
