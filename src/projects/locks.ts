import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/token.ts";
import { AppError } from "../base/errors.ts";
import type { ProjectsApp } from "./store.ts";

/**
 * Checks that a caller may change an environment, or without one every environment of the project. For a locked
 * environment, throws `forbidden` without the scope `flags:locked` and `unconfirmed` without a confirmation. A project or
 * environment that does not exist is not locked.
 */
export async function requireChangeable(
  app: ProjectsApp,
  caller: Caller,
  { project, environment }: { project: string; environment?: string | undefined },
): Promise<void> {
  const record = await app.store.projects.find(project);
  for (const { slug, locked } of record?.environments ?? []) {
    if (!locked || (environment !== undefined && slug !== environment)) continue;
    requireScope(caller, "flags:locked", { project, environment });
    if (caller.hasConfirmed(slug)) continue;
    throw new AppError("unconfirmed", `the environment ${slug} of project ${project} is locked`, {
      reason: "environment-locked",
      hint: "confirm the change by the name of the environment, in the header X-Confirm",
    });
  }
}
