import type * as z from "zod/mini";
import type { App, Clockwork } from "./app.ts";
import { AppError } from "./errors.ts";
import { dashedKey } from "./keys.ts";
import type { environmentSchema, newEnvironmentSchema } from "./schemas/environments.ts";

export type Environment = z.infer<typeof environmentSchema>;

export type NewEnvironment = z.infer<typeof newEnvironmentSchema>;

/** An environment with a fresh key, not yet stored. */
export function newEnvironment(
  app: Clockwork,
  input: { slug: string; name?: string | undefined },
): Environment {
  return { slug: input.slug, name: input.name ?? input.slug, key: dashedKey(app.random), locked: false };
}

/**
 * Adds an environment to a project; the history names `who`. Throws `not_found` for the project or `from`, `conflict`
 * for the slug.
 */
export function createEnvironment(
  app: App,
  project: string,
  input: NewEnvironment,
  who = "formflag",
): Promise<Environment> {
  const environment = { ...newEnvironment(app, input), createdAt: app.now() };
  return app.store.environments.insert(project, environment, input.from ?? null, who);
}

/** The environment of that slug. Throws `not_found` for the project or the environment. */
export async function getEnvironment(app: App, project: string, slug: string): Promise<Environment> {
  const environments = await app.store.environments.list(project);
  const environment = environments.find((each) => each.slug === slug);
  if (!environment) throw noSuchEnvironment(project, slug);
  return environment;
}

export function noSuchEnvironment(project: string, slug: string): AppError {
  return new AppError("not_found", `environment "${slug}" does not exist in project "${project}"`, {
    hint: `formflag environments list -p ${project} shows the environments there are`,
  });
}
