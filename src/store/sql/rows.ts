import { type Environment, noSuchEnvironment } from "../../projects/environment.ts";
import { DEFAULT_PROJECT, noSuchProject } from "../../access/place.ts";
import { type Params, type Work, all, first, run } from "./work.ts";

export type ProjectRow = {
  id: number;
  slug: string;
  name: string;
  key: string;
  mail_from: string | null;
  accent: string | null;
  max_submissions: number | null;
  max_storage: number | null;
};
export type EnvironmentRow = { id: number; project_id: number; revision: number; metadata: string };

/** 1 if an environment `e` is locked, or its changes need approval; else 0. */
export const IS_GUARDED = "CASE WHEN e.locked = 1 OR e.approvals > 0 THEN 1 ELSE 0 END";

/** Throws `not_found`. */
export function* projectRow(slug: string): Work<ProjectRow> {
  const row = yield* findProjectRow(slug);
  if (!row) throw noSuchProject(slug);
  return row;
}

/** The columns of a {@link ProjectRow}. */
export const PROJECT =
  "SELECT id, slug, name, key, mail_from, accent, max_submissions, max_storage FROM projects";

export function findProjectRow(slug: string): Work<ProjectRow | undefined> {
  return first(`${PROJECT} WHERE slug = $slug`, { slug });
}

/** Throws `not_found` for the project or the environment. */
export function* environmentRow(project: string, slug: string): Work<EnvironmentRow> {
  const { id: projectId } = yield* projectRow(project);
  const row = yield* first<EnvironmentRow>(
    `SELECT id, project_id, revision, metadata FROM environments WHERE project_id = $projectId AND slug = $slug`,
    { projectId, slug },
  );
  if (!row) throw noSuchEnvironment(project, slug);
  return row;
}

/** In their order. */
export function* environmentsOf(projectId: number): Work<Environment[]> {
  type Row = Omit<Environment, "locked" | "position" | "approveWith"> & {
    locked: number;
    approve_with: Environment["approveWith"];
  };
  const rows = yield* all<Row>(
    `SELECT slug, name, key, locked, color, approvals, approve_with FROM environments WHERE project_id = $projectId ORDER BY position, id`,
    { projectId },
  );
  return rows.map(({ approve_with: approveWith, ...row }, index) => ({
    ...row,
    locked: row.locked === 1,
    approveWith,
    position: index + 1,
  }));
}

/** An environment that a change revises, or without one every environment of the project, by their ids. */
export type Revised = { project: number; environment?: number };

/**
 * Sets the revisions of environments, by which readers detect changes of flags. Each is set once, to its last value: on
 * PostgreSQL, a row that changes repeatedly in a transaction takes longer each time.
 */
export function* revise(changes: readonly (Revised & { revision: number })[]): Work<void> {
  const projects = new Map<number, number>();
  const environments = new Map<number, { project: number; revision: number }>();
  for (const { project, environment, revision } of changes)
    if (environment === undefined) projects.set(project, revision);
    else environments.set(environment, { project, revision });
  for (const [project, revision] of projects)
    yield* run("UPDATE environments SET revision = $revision WHERE project_id = $project", {
      project,
      revision,
    });
  for (const [id, { project, revision }] of environments)
    if (revision > (projects.get(project) ?? 0))
      yield* run("UPDATE environments SET revision = $revision WHERE id = $id", { id, revision });
}

/** The slug of the project of a form `f`. */
export const PROJECT_OF_FORM = `coalesce((SELECT slug FROM projects WHERE id = f.project_id), '${DEFAULT_PROJECT}')`;

/** A condition, to follow others, that the project of a form `f` is in a list, with its parameter. Empty for null. */
export function amongProjects(projects: readonly string[] | null): { where: string; params: Params } {
  if (projects === null) return { where: "", params: {} };
  return {
    where: ` AND ${PROJECT_OF_FORM} IN (SELECT value FROM json_each($projects))`,
    params: { projects: JSON.stringify(projects) },
  };
}

/** Submissions `s` of a form `f`, in any folder: their index begins with form and state. */
export const OF_FORM = "s.form_id = f.id AND s.state IN (0, 1, 2, 3)";

/** The condition for submissions that make members: in the inbox or archived, by a sender who has not unsubscribed. */
export const FILLS = "state IN (0, 2) AND unsubscribed_at IS NULL";
