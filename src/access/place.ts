import { AppError } from "../base/errors.ts";

/** The two keys by which a reader of flags selects an environment. */
export type EnvironmentKeys = { projectKey: string; environmentKey: string };

/** A project, or one environment of it. */
export type TokenPlace = { project: string; environment?: string | undefined };

/** Target of an operation: everything, a project, or one environment. */
export type Reach = { project?: string | undefined; environment?: string | undefined };

export function noSuchProject(slug: string): AppError {
  return new AppError("not_found", `project "${slug}" does not exist`, {
    reason: "project-not-found",
  });
}

/** The project of forms that are created without one, and of those from before forms had projects. */
export const DEFAULT_PROJECT = "default";

/** A form, by the slug of its project and its own. */
export type FormPlace = { project: string; slug: string };

/**
 * A form as logs, mails and addresses of pages name it: its slug, behind the slug of its project and a colon unless that is
 * `default`.
 */
export function shortName({ project, slug }: FormPlace): string {
  return project === DEFAULT_PROJECT ? slug : `${project}:${slug}`;
}
