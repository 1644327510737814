import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/token.ts";
import { AppError } from "../base/errors.ts";
import type { ProjectsApp } from "./store.ts";

/**
 * Lets a change of flags or segments pass: in an environment that is locked only where the caller holds the scope
 * `flags:locked` and has confirmed it. Without an environment the change concerns all of the project. Throws `forbidden`
 * or `unconfirmed`; a project or environment that does not exist is locked by nobody.
 */
export async function requireChangeable(
  app: ProjectsApp,
  caller: Caller,
  { project, environment }: { project: string; environment?: string | undefined },
): Promise<void> {
  const found = await app.store.projects.find(project);
  for (const { slug, locked } of found?.environments ?? []) {
    if (!locked || (environment !== undefined && slug !== environment)) continue;
    requireScope(caller, "flags:locked", { project, environment });
    if (caller.hasConfirmed(slug)) continue;
    throw new AppError("unconfirmed", `the environment ${slug} of project ${project} is locked`, {
      reason: "environment-locked",
      hint: "confirm the change by the name of the environment, in the header X-Confirm",
    });
  }
}
