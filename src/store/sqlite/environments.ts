import type { Database } from "bun:sqlite";
import type { ProjectChange } from "../../projects/change.ts";
import type { Environment } from "../../projects/environment.ts";
import { environmentRow, environmentsOf, projectRow, reviseEnvironment } from "./rows.ts";
import { query } from "./statements.ts";

type Change<K> = ProjectChange & { change: K };

export function insertEnvironment(
  db: Database,
  { project, environment: { slug, name, key, color }, createdAt }: Change<"insertEnvironment">,
  revision: number,
): void {
  query(
    db,
    `INSERT INTO environments (project_id, slug, name, key, color, revision, created_at)
       VALUES ($projectId, $slug, $name, $key, $color, $revision, $createdAt)`,
  ).run({ projectId: projectRow(db, project).id, slug, name, key, color, createdAt, revision });
}

export function updateEnvironment(
  db: Database,
  { project, environment, name, locked, color }: Change<"updateEnvironment">,
): void {
  const { id } = environmentRow(db, project, environment);
  query(db, "UPDATE environments SET name = $name, locked = $locked, color = $color WHERE id = $id").run({
    id,
    name,
    locked: locked ? 1 : 0,
    color,
  });
}

export function setMetadata(
  db: Database,
  { project, environment, metadata }: Change<"setMetadata">,
  revision: number,
): void {
  const { id } = environmentRow(db, project, environment);
  query(db, "UPDATE environments SET metadata = $metadata WHERE id = $id").run({ id, metadata });
  reviseEnvironment(db, id, revision);
}

export function deleteEnvironment(db: Database, { project, environment }: Change<"deleteEnvironment">): void {
  query(db, "DELETE FROM environments WHERE id = $id").run({
    id: environmentRow(db, project, environment).id,
  });
}

export function listEnvironments(db: Database, project: string): Environment[] {
  return environmentsOf(db, projectRow(db, project).id);
}
