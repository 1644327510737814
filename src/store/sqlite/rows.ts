import type { Database } from "bun:sqlite";
import { type Environment, noSuchEnvironment } from "../../projects/environment.ts";
import { noSuchProject } from "../../projects/project.ts";
import { recordChange } from "./changes.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

/** The rows that more than one noun starts from. */
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

export function findEnvironmentRow(
  db: Database,
  projectId: number,
  slug: string,
): EnvironmentRow | undefined {
  const sql = `
    SELECT id, project_id, revision, metadata FROM environments WHERE project_id = $projectId AND slug = $slug`;
  return (
    query<EnvironmentRow, { projectId: number; slug: string }>(db, sql).get({ projectId, slug }) ?? undefined
  );
}

/** Returns the new row's id. `from` names the environment whose values it starts with. */
export function insertEnvironmentRow(
  db: Database,
  projectId: number,
  environment: Environment & { createdAt: number },
  who: string,
  from: string | null = null,
): number {
  const { slug, name, key, createdAt } = environment;
  const revision = nextVersion(db);
  const { lastInsertRowid } = query(
    db,
    `INSERT INTO environments (project_id, slug, name, key, revision, created_at)
       VALUES ($projectId, $slug, $name, $key, $revision, $createdAt)`,
  ).run({ projectId, slug, name, key, createdAt, revision });
  recordChange(
    db,
    projectId,
    { who, at: createdAt },
    {
      revision,
      environment: slug,
      kind: "environment",
      name: slug,
      before: null,
      after: from === null ? { name } : { name, from },
    },
  );
  return Number(lastInsertRowid);
}

/** By slug. */
export function environmentsOf(db: Database, projectId: number): Environment[] {
  const sql = "SELECT slug, name, key, locked FROM environments WHERE project_id = $projectId ORDER BY slug";
  type Row = { slug: string; name: string; key: string; locked: number };
  return query<Row, { projectId: number }>(db, sql).all({ projectId }).map(toEnvironment);
}

function toEnvironment({ locked, ...row }: Omit<Environment, "locked"> & { locked: number }): Environment {
  return { ...row, locked: locked === 1 };
}

/** Tells readers that the flags of an environment have changed. */
export function reviseEnvironment(db: Database, id: number, revision: number): void {
  query(db, "UPDATE environments SET revision = $revision WHERE id = $id").run({ id, revision });
}

export function reviseProject(db: Database, projectId: number, revision: number): void {
  const sql = "UPDATE environments SET revision = $revision WHERE project_id = $projectId";
  query(db, sql).run({ projectId, revision });
}
