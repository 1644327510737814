import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import type { SetResult } from "../base/result.ts";
import type { ProjectChange } from "./change.ts";
import { noSuchEnvironment, type Environment, type EnvironmentPatch } from "./environment.ts";
import { planDeletion, planUpdate } from "./plan.ts";
import { requireChangeable } from "./locks.ts";
import type { ProjectsApp } from "./store.ts";

/** The environment of that slug. Throws `not_found` for the project or the environment. */
export async function getEnvironment(app: ProjectsApp, project: string, slug: string): Promise<Environment> {
  const environments = await app.store.environments.list(project);
  const environment = environments.find((each) => each.slug === slug);
  if (!environment) throw noSuchEnvironment(project, slug);
  return environment;
}

/** An environment after a change, and whether the change altered it. */
type ChangedEnvironment = { environment: Environment; result: SetResult };

/** Renames, locks or unlocks an environment, or gives it another colour. Throws `not_found`, `forbidden`. */
export function setEnvironment(
  app: ProjectsApp,
  caller: Caller,
  project: string,
  slug: string,
  patch: EnvironmentPatch,
): Promise<ChangedEnvironment> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async (): Promise<Plan<ProjectChange, ChangedEnvironment>> => {
    const before = await getEnvironment(app, project, slug);
    const { name = before.name, locked = before.locked, color = before.color } = patch;
    if (name === before.name && locked === before.locked && color === before.color)
      return { changes: [], result: { environment: before, result: "unchanged" } };
    const environment = { ...before, name, locked, color };
    return {
      changes: [planUpdate(project, before, { name, locked, color })],
      result: { environment, result: "updated" },
    };
  });
}

/** Deletes an environment with its flag values. Throws `not_found`, `forbidden`, and `unconfirmed` for a lock. */
export function deleteEnvironment(
  app: ProjectsApp,
  caller: Caller,
  project: string,
  slug: string,
): Promise<void> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async () => {
    const environment = await getEnvironment(app, project, slug);
    await requireChangeable(app, caller, { project, environment: slug });
    return { changes: [planDeletion(project, environment)], result: undefined };
  });
}
