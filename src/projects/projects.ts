import type { App } from "../app.ts";
import { type NewProject, type Project, newProject, noSuchProject } from "./project.ts";

/** Makes a project with its keys and environments, for which the history names `who`. Throws `conflict` where the slug is taken. */
export function createProject(app: App, input: NewProject, who = "formflag"): Promise<Project> {
  return app.store.projects.insert(newProject(app, input), who);
}

/** The project of that slug. Throws `not_found`. */
export async function getProject(app: App, slug: string): Promise<Project> {
  const project = await app.store.projects.find(slug);
  if (!project) throw noSuchProject(slug);
  return project;
}
