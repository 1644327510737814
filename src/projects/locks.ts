import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { Environment } from "./environment.ts";
import type { ProjectsApp } from "./store.ts";

/** An environment, or without one every environment of the project. */
export type LockedPlace = { project: string; environment?: string | undefined };

/**
 * Checks that a caller may change an environment, or every environment of the project if none is given. Throws
 * `forbidden` without the scope `flags:locked` and `unconfirmed` without a confirmation if an environment is locked.
 * Missing projects and environments count as not locked.
 */
export async function requireChangeable(app: ProjectsApp, caller: Caller, place: LockedPlace): Promise<void> {
  const locked = await unconfirmedLocks(app, caller, place);
  if (locked.length > 0) throw lockError([describeLocks(place.project, locked)]);
}

/**
 * As {@link requireChangeable}, for a change that needs no approval: one of the members of a segment, whom a proposal would
 * name for as long as it is kept.
 */
export async function requireUnlocked(
  app: ProjectsApp,
  caller: Caller,
  { project, environment }: { project: string; environment: string },
): Promise<void> {
  const record = await app.store.projects.find(project);
  if (!record?.environments.some(({ slug, locked }) => slug === environment && locked)) return;
  requireScope(caller, "flags:locked", { project, environment });
  if (!caller.hasConfirmed(environment)) throw lockError([describeLocks(project, [environment])]);
}

/**
 * The locked environments of a place that the caller has not confirmed. Throws `forbidden` if the caller may not change
 * them, and `unapproved` if a change needs approvals and is not under review.
 */
export async function unconfirmedLocks(
  app: ProjectsApp,
  caller: Caller,
  { project, environment }: LockedPlace,
): Promise<string[]> {
  const { review } = caller;
  // A reviewer has the right to change locked environments, and has seen the differences.
  if (review?.isReviewed) return [];
  const record = await app.store.projects.find(project);
  const places = (record?.environments ?? []).filter(
    ({ slug }) => environment === undefined || slug === environment,
  );
  const reviewed = places.filter(({ approvals }) => approvals > 0);
  if (reviewed.length > 0) {
    if (!review?.admit) throw unapproved(project, reviewed);
    review.admit(project);
  }
  const locked = places.filter((each) => each.locked && each.approvals === 0);
  if (review?.meetLocks) {
    review.meetLocks(
      project,
      locked.map(({ slug }) => slug),
    );
    return [];
  }
  if (locked.length > 0) requireScope(caller, "flags:locked", { project, environment });
  return locked.map(({ slug }) => slug).filter((slug) => !caller.hasConfirmed(slug));
}

/** The error of a change that needs approvals. */
export function unapproved(
  project: string,
  environments: readonly Pick<Environment, "slug" | "approvals">[],
): AppError {
  const slugs = environments.map(({ slug }) => slug);
  const most = Math.max(...environments.map(({ approvals }) => approvals));
  const message = `a change of ${slugs.join(", ")} in project ${project} needs ${most === 1 ? "an approval" : `${most} approvals`}`;
  return new AppError("unapproved", message, {
    reason: "approval-needed",
    hint: "propose it with the header X-Propose; before an environment or its project is deleted, set its approvals to 0",
  });
}

export function describeLocks(project: string, locked: readonly string[]): string {
  return locked.length === 1
    ? `the environment ${locked[0]} of project ${project} is locked`
    : `the environments ${locked.join(", ")} of project ${project} are locked`;
}

export function lockError(messages: readonly string[]): AppError {
  return new AppError("unconfirmed", messages.join("; "), {
    reason: "environment-locked",
    hint: "confirm the change by the name of the environment, in the header X-Confirm",
  });
}
