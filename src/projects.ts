import type * as z from "zod/mini";
import type { App, Clockwork } from "./app.ts";
import { newEnvironment, type Environment } from "./environments.ts";
import { AppError } from "./errors.ts";
import { dashedKey } from "./keys.ts";
import type { newProjectSchema, projectSchema } from "./schemas/projects.ts";

export type Project = z.infer<typeof projectSchema>;

export const DEFAULT_ENVIRONMENTS = ["develop", "staging", "production"];

export type NewProject = z.infer<typeof newProjectSchema>;

/** A project with fresh keys, not yet stored. */
export function newProject(app: Clockwork, input: NewProject): Project & { createdAt: number } {
  const environments = (input.environments ?? DEFAULT_ENVIRONMENTS).map((slug) =>
    newEnvironment(app, { slug }),
  );
  return {
    slug: input.slug,
    name: input.name ?? input.slug,
    key: dashedKey(app.random),
    environments: environments.toSorted(bySlug),
    createdAt: app.now(),
  };
}

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

export function noSuchProject(slug: string): AppError {
  return new AppError("not_found", `project "${slug}" does not exist`, {
    hint: "formflag projects list shows the projects there are",
  });
}

function bySlug(a: Environment, b: Environment): number {
  return a.slug < b.slug ? -1 : 1;
}
