import type { ProjectChange } from "../../projects/change.ts";
import type { Environment } from "../../projects/environment.ts";
import { environmentRow, environmentsOf, projectRow, reviseEnvironment } from "./rows.ts";
import { type Work, run } from "./work.ts";

type Change<K> = ProjectChange & { change: K };

export function* insertEnvironment(
  { project, environment: { slug, name, key, color }, createdAt }: Change<"insertEnvironment">,
  revision: number,
): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  yield* run(
    `INSERT INTO environments (project_id, slug, name, key, color, revision, created_at)
     VALUES ($projectId, $slug, $name, $key, $color, $revision, $createdAt)`,
    { projectId, slug, name, key, color, createdAt, revision },
  );
}

export function* updateEnvironment({
  project,
  environment,
  name,
  locked,
  color,
}: Change<"updateEnvironment">): Work<void> {
  const { id } = yield* environmentRow(project, environment);
  yield* run("UPDATE environments SET name = $name, locked = $locked, color = $color WHERE id = $id", {
    id,
    name,
    locked: locked ? 1 : 0,
    color,
  });
}

export function* setMetadata(
  { project, environment, metadata }: Change<"setMetadata">,
  revision: number,
): Work<void> {
  const { id } = yield* environmentRow(project, environment);
  yield* run("UPDATE environments SET metadata = $metadata WHERE id = $id", { id, metadata });
  yield* reviseEnvironment(id, revision);
}

export function* deleteEnvironment({ project, environment }: Change<"deleteEnvironment">): Work<void> {
  const { id } = yield* environmentRow(project, environment);
  yield* run("DELETE FROM environments WHERE id = $id", { id });
}

export function* listEnvironments(project: string): Work<Environment[]> {
  const { id } = yield* projectRow(project);
  return yield* environmentsOf(id);
}
