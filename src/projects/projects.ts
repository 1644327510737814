import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { noSuchProject } from "../access/place.ts";
import { hasScope, projectsWith, requireScope, requireScopeSomewhere } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { Page } from "../base/pages.ts";
import type { SetResult } from "../base/result.ts";
import type { ProjectChange } from "./change.ts";
import { planProject, planSettings } from "./plan.ts";
import { newProject, type NewProject, type Project, type ProjectPatch, type Usage } from "./project.ts";
import { alteredSettings, requireSettings } from "./settings.ts";
import type { ProjectQuery, ProjectsApp } from "./store.ts";

/** Creates a project with its keys and environments. Throws `conflict` for a slug in use, `forbidden`. */
export async function createProject(app: ProjectsApp, caller: Caller, input: NewProject): Promise<Project> {
  requireScope(caller, "admin");
  return change(app, caller, async ({ at }): Promise<Plan<ProjectChange, Project>> => {
    if (await app.store.projects.find(input.slug)) {
      throw new AppError("conflict", `project "${input.slug}" already exists`, { reason: "project-exists" });
    }
    const { createdAt: _createdAt, ...project } = newProject(app, input);
    return { changes: planProject(project, at), result: project };
  });
}

/** The projects that a caller sees, each with the environments that the caller sees. Throws `forbidden`. */
export async function listProjects(
  app: ProjectsApp,
  caller: Caller,
  query: ProjectQuery,
): Promise<Page<Project>> {
  requireScopeSomewhere(caller, "flags:read");
  const { items, more } = await app.store.projects.page(query, projectsWith(caller, "flags:read"));
  const maySee = (project: string, environment: string) =>
    hasScope(caller, "flags:read", { project, environment });
  const seen = items.map((project) => ({
    ...project,
    environments: project.environments.filter(({ slug }) => maySee(project.slug, slug)),
  }));
  return { items: seen, more };
}

/** The project of that slug. Throws `not_found`. */
export async function getProject(app: ProjectsApp, slug: string): Promise<Project> {
  const project = await app.store.projects.find(slug);
  if (!project) throw noSuchProject(slug);
  return project;
}

/** A project after a change, and whether the change altered it. */
type ChangedProject = { project: Project; result: SetResult };

/**
 * Changes settings of a project. Where its mail comes from and what its forms may hold is for an admin of everything. Throws
 * `not_found`, `invalid`, `forbidden`.
 */
export function setProject(
  app: ProjectsApp,
  caller: Caller,
  slug: string,
  patch: ProjectPatch,
): Promise<ChangedProject> {
  requireSettings(caller, slug, patch);
  return change(app, caller, async (): Promise<Plan<ProjectChange, ChangedProject>> => {
    const project = await getProject(app, slug);
    const altered = alteredSettings(project, patch);
    if (altered === null) return { changes: [], result: { project, result: "unchanged" } };
    const { before, after } = altered;
    return {
      changes: [planSettings(slug, before, after)],
      result: { project: { ...project, ...after }, result: "updated" },
    };
  });
}

/** How much of what its forms may hold a project has used; null for a caller who may not read its submissions. */
export async function usageOf(app: ProjectsApp, caller: Caller, slug: string): Promise<Usage | null> {
  if (!hasScope(caller, "forms:read", { project: slug })) return null;
  return app.store.projects.usage(slug, app.now());
}
