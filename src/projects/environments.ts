import type { Caller } from "../access/caller.ts";
import { change, type Plan } from "../access/door.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { SetResult } from "../base/result.ts";
import { type ApproveWith, strictness } from "./approval.ts";
import type { ProjectChange } from "./change.ts";
import { ENVIRONMENT } from "./environment-card.ts";
import { noSuchEnvironment, type Environment, type EnvironmentPatch } from "./environment.ts";
import { planDeletion, planOrder, planUpdate } from "./plan.ts";
import { requireChangeable } from "./locks.ts";
import { requireNoOpenedForm } from "./opened-forms.ts";
import type { ProjectsApp } from "./store.ts";

/** The environment of that slug. Throws `not_found` for the project or the environment. */
export async function getEnvironment(app: ProjectsApp, project: string, slug: string): Promise<Environment> {
  const environments = await app.store.environments.list(project);
  const environment = environments.find((each) => each.slug === slug);
  if (!environment) throw noSuchEnvironment(project, slug);
  return environment;
}

/** The key of an environment: `key` where the caller has read it before. Throws as {@link getEnvironment}. */
export async function keyOf(
  app: ProjectsApp,
  { project, environment, key }: { project: string; environment: string; key?: string | undefined },
): Promise<string> {
  return key ?? (await getEnvironment(app, project, environment)).key;
}

/** An environment after a change, and whether the change altered it. */
type ChangedEnvironment = { environment: Environment; result: SetResult };

/**
 * Renames, locks or unlocks an environment, or gives it another colour, number of approvals, factor of them or place. Throws
 * `not_found`, `forbidden`, and `unconfirmed` for fewer approvals and for a factor that is less strict.
 */
export function setEnvironment(
  app: ProjectsApp,
  caller: Caller,
  project: string,
  slug: string,
  patch: EnvironmentPatch,
): Promise<ChangedEnvironment> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async (): Promise<Plan<ProjectChange, ChangedEnvironment>> => {
    const all = await app.store.environments.list(project);
    const before = all.find((each) => each.slug === slug);
    if (!before) throw noSuchEnvironment(project, slug);
    const { name = before.name, locked = before.locked, color = before.color } = patch;
    const { approvals = before.approvals, approveWith = before.approveWith } = patch;
    const position = Math.min(patch.position ?? before.position, all.length);
    const environment = { ...before, name, locked, color, approvals, approveWith, position };
    if (Bun.deepEquals(environment, before))
      return { changes: [], result: { environment: before, result: "unchanged" } };
    if (approvals < before.approvals && !caller.hasConfirmed(slug))
      throw fewerApprovals(slug, before.approvals, approvals);
    if (strictness(approveWith) < strictness(before.approveWith) && !caller.hasConfirmed(slug))
      throw looserApprovals(slug, before.approveWith, approveWith);
    const changes: ProjectChange[] = [];
    if (!Bun.deepEquals({ ...environment, position: before.position }, before))
      changes.push(planUpdate(project, before, { name, locked, color, approvals, approveWith }));
    if (position !== before.position) {
      const slugs = all.map((each) => each.slug).filter((each) => each !== slug);
      slugs.splice(position - 1, 0, slug);
      changes.push(planOrder(project, slugs, { slug, before: before.position, after: position }));
    }
    return { changes, result: { environment, result: "updated" } };
  });
}

function fewerApprovals(slug: string, before: number, after: number): AppError {
  return new AppError(
    "unconfirmed",
    `changes of ${slug} need ${before} ${before === 1 ? "approval" : "approvals"}, and would need ${after}`,
    CONFIRM_IT,
  );
}

function looserApprovals(slug: string, before: ApproveWith | null, after: ApproveWith | null): AppError {
  const words = (factor: ApproveWith | null) =>
    factor === null ? "no second factor" : ENVIRONMENT.approveWith.kind.labels[factor];
  return new AppError(
    "unconfirmed",
    `to approve changes of ${slug} takes ${words(before)}, and would take ${words(after)}`,
    CONFIRM_IT,
  );
}

const CONFIRM_IT = {
  reason: "approvals-lowered",
  hint: "confirm it by the name of the environment, in the header X-Confirm",
};

/** Deletes an environment with its flag values. Throws `not_found`, `forbidden`, `conflict` for one with a flag that opens a form, and `unconfirmed` for a lock. */
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
    await requireNoOpenedForm(app, caller, { project, environment: slug });
    return { changes: [planDeletion(project, environment)], result: undefined };
  });
}
