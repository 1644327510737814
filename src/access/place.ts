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
