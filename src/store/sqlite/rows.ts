import type { Database } from "bun:sqlite";
import { type Environment, noSuchEnvironment } from "../../projects/environment.ts";
import { noSuchProject } from "../../projects/project.ts";
import { query } from "./statements.ts";

export type ProjectRow = { id: number; slug: string; name: string; key: string };
export type EnvironmentRow = { id: number; project_id: number; revision: number; metadata: string };

/** Throws `not_found`. */
export function projectRow(db: Database, slug: string): ProjectRow {
  const row = findProjectRow(db, slug);
  if (!row) throw noSuchProject(slug);
  return row;
}

export function findProjectRow(db: Database, slug: string): ProjectRow | undefined {
  const sql = "SELECT id, slug, name, key FROM projects WHERE slug = $slug";
  return query<ProjectRow, { slug: string }>(db, sql).get({ slug }) ?? undefined;
}

/** Throws `not_found` for the project or the environment. */
export function environmentRow(db: Database, project: string, slug: string): EnvironmentRow {
  const row = findEnvironmentRow(db, projectRow(db, project).id, slug);
  if (!row) throw noSuchEnvironment(project, slug);
  return row;
}

function findEnvironmentRow(db: Database, projectId: number, slug: string): EnvironmentRow | undefined {
  const sql = `
    SELECT id, project_id, revision, metadata FROM environments WHERE project_id = $projectId AND slug = $slug`;
  return (
    query<EnvironmentRow, { projectId: number; slug: string }>(db, sql).get({ projectId, slug }) ?? undefined
  );
}

/** By slug. */
export function environmentsOf(db: Database, projectId: number): Environment[] {
  const sql = `
    SELECT slug, name, key, locked, color FROM environments WHERE project_id = $projectId ORDER BY slug`;
  type Row = Omit<Environment, "locked"> & { locked: number };
  const rows = query<Row, { projectId: number }>(db, sql).all({ projectId });
  return rows.map((row) => ({ ...row, locked: row.locked === 1 }));
}

/** Sets the revision of an environment, by which readers notice that its flags have changed. */
export function reviseEnvironment(db: Database, id: number, revision: number): void {
  query(db, "UPDATE environments SET revision = $revision WHERE id = $id").run({ id, revision });
}

/** As {@link reviseEnvironment}, for every environment of a project. */
export function reviseProject(db: Database, projectId: number, revision: number): void {
  const sql = "UPDATE environments SET revision = $revision WHERE project_id = $projectId";
  query(db, sql).run({ projectId, revision });
}
