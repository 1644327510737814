import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { AppError } from "../base/errors.ts";
import type { ProjectsApp } from "./store.ts";

/** An environment, or without one every environment of the project. */
export type LockedPlace = { project: string; environment?: string | undefined };

/**
 * Checks that a caller may change an environment, or without one every environment of the project. For a locked
 * environment, throws `forbidden` without the scope `flags:locked` and `unconfirmed` without a confirmation. A project or
 * environment that does not exist is not locked.
 */
export async function requireChangeable(app: ProjectsApp, caller: Caller, place: LockedPlace): Promise<void> {
  const locked = await unconfirmedLocks(app, caller, place);
  if (locked.length > 0) throw lockError([describeLocks(place.project, locked)]);
}

/** The locked environments of a place that the caller has not confirmed. Throws `forbidden` for one who may not change them. */
export async function unconfirmedLocks(
  app: ProjectsApp,
  caller: Caller,
  { project, environment }: LockedPlace,
): Promise<string[]> {
  const record = await app.store.projects.find(project);
  const locked = (record?.environments ?? []).filter(
    (each) => each.locked && (environment === undefined || each.slug === environment),
  );
  if (locked.length > 0) requireScope(caller, "flags:locked", { project, environment });
  return locked.map(({ slug }) => slug).filter((slug) => !caller.hasConfirmed(slug));
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
