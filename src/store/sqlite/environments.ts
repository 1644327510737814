import type { Database } from "bun:sqlite";
import type { Environment } from "../../environments.ts";
import { AppError } from "../../errors.ts";
import { query } from "./statements.ts";
import { copySegments } from "./segments.ts";
import { nextVersion } from "./version.ts";
import {
  environmentRow,
  environmentsOf,
  findEnvironmentRow,
  insertEnvironmentRow,
  projectRow,
} from "./rows.ts";

export function insertEnvironment(
  db: Database,
  project: string,
  environment: Environment & { createdAt: number },
  from: string | null,
): Environment {
  const { id: projectId } = projectRow(db, project);
  const source = from === null ? undefined : environmentRow(db, project, from);
  if (findEnvironmentRow(db, projectId, environment.slug)) {
    throw new AppError(
      "conflict",
      `environment "${environment.slug}" already exists in project "${project}"`,
    );
  }
  const id = insertEnvironmentRow(db, projectId, environment);
  if (source) {
    query(
      db,
      `INSERT INTO flag_values (environment_id, flag_id, enabled, payload, expires_at, rules, updated_at, revision)
       SELECT $id, flag_id, enabled, payload, expires_at, rules, $createdAt, revision
       FROM flag_values WHERE environment_id = $source`,
    ).run({ id, source: source.id, createdAt: environment.createdAt });
    query(
      db,
      "UPDATE environments SET metadata = (SELECT metadata FROM environments WHERE id = $source) WHERE id = $id",
    ).run({ id, source: source.id });
    copySegments(db, source.id, id);
  }
  return { slug: environment.slug, name: environment.name, key: environment.key };
}

export function listEnvironments(db: Database, project: string): Environment[] {
  return environmentsOf(db, projectRow(db, project).id);
}

export function deleteEnvironment(db: Database, project: string, slug: string): void {
  const { id } = environmentRow(db, project, slug);
  query(db, "DELETE FROM environments WHERE id = $id").run({ id });
  nextVersion(db);
}
