import { type Token, requireScope } from "../access/token.ts";
import type { App } from "../app.ts";
import { AppError } from "../base/errors.ts";

/**
 * Lets a change of flags or segments pass: in an environment that is locked only where the caller holds the scope
 * `flags:locked` and has confirmed it. Without an environment the change concerns all of the project. Throws `forbidden`
 * or `unconfirmed`; a project or environment that does not exist is locked by nobody.
 */
export async function requireChangeable(
  app: App,
  caller: Token,
  { project, environment }: { project: string; environment?: string | undefined },
  confirmed: boolean | ((environment: string) => boolean),
): Promise<void> {
  const found = await app.store.projects.find(project);
  for (const { slug, locked } of found?.environments ?? []) {
    if (!locked || (environment !== undefined && slug !== environment)) continue;
    requireScope(caller, "flags:locked", { project, environment });
    if (confirmed === true || (confirmed !== false && confirmed(slug))) continue;
    throw new AppError("unconfirmed", `the environment ${slug} of project ${project} is locked`, {
      hint: `add --yes to change it all the same; over HTTP, send the header X-Confirm: ${slug}`,
    });
  }
}
