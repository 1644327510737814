import type { App } from "../app.ts";
import { type Environment, type NewEnvironment, newEnvironment, noSuchEnvironment } from "./environment.ts";

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
