import * as z from "zod/mini";
import type { App } from "./app.ts";
import { newEnvironment, environmentSchema, type Environment } from "./environments.ts";
import { AppError } from "./errors.ts";
import { dashedKey } from "./keys.ts";
import { displayName, slugOf } from "./slugs.ts";

const projectSlug = slugOf("project");

export const projectSchema = z.object({
  slug: projectSlug,
  name: z.string(),
  /** The value of `x-project-key`. */
  key: z.string(),
  environments: z.array(environmentSchema),
});

export type Project = z.infer<typeof projectSchema>;

const DEFAULT_ENVIRONMENTS = ["develop", "staging", "production"];

export const newProjectSchema = z.strictObject({
  slug: projectSlug,
  name: z.optional(displayName),
  environments: z.optional(
    z.array(slugOf("environment")).check(
      z.maxLength(1000, "a project starts with at most 1000 environments"),
      z.refine((slugs) => new Set(slugs).size === slugs.length, "an environment is named twice"),
    ),
  ),
});

export type NewProject = z.infer<typeof newProjectSchema>;

/** Makes a project with its keys and environments. Throws `conflict` where the slug is taken. */
export function createProject(app: App, input: NewProject): Promise<Project> {
  const environments = (input.environments ?? DEFAULT_ENVIRONMENTS).map((slug) =>
    newEnvironment(app, { slug }),
  );
  return app.store.projects.insert({
    slug: input.slug,
    name: input.name ?? input.slug,
    key: dashedKey(app.random),
    environments: environments.toSorted(bySlug),
    createdAt: app.now(),
  });
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
