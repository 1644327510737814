import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import { AppError } from "../../base/errors.ts";
import type { SetResult } from "../../base/result.ts";
import { type FlagRecord, changeRecord } from "../../flags/flag.ts";
import { withValuesOf } from "../../flags/promotion.ts";
import type { Environment } from "../../projects/environment.ts";
import { recordChange } from "./changes.ts";
import { changeFlag, listFlags } from "./flags.ts";
import {
  environmentRow,
  environmentsOf,
  findEnvironmentRow,
  insertEnvironmentRow,
  projectRow,
} from "./rows.ts";
import { segmentsOfEnvironment, setSegment } from "./segments.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

export function insertEnvironment(
  db: Database,
  project: string,
  environment: Environment & { createdAt: number },
  from: string | null,
  who: string,
): Environment {
  const { id: projectId } = projectRow(db, project);
  const source = from === null ? undefined : environmentRow(db, project, from);
  const { slug, name, key, createdAt } = environment;
  if (findEnvironmentRow(db, projectId, slug))
    throw new AppError("conflict", `environment "${slug}" already exists in project "${project}"`);
  const id = insertEnvironmentRow(db, projectId, environment, who, from);
  if (source && from !== null) {
    query(
      db,
      "UPDATE environments SET metadata = (SELECT metadata FROM environments WHERE id = $source) WHERE id = $id",
    ).run({ id, source: source.id });
    const by = { who, at: createdAt };
    for (const { name, rule } of segmentsOfEnvironment(db, source.id))
      setSegment(db, { project, environment: slug, segment: name }, rule, by, null);
    for (const flag of listFlags(db, project, from)) {
      const change = (before: FlagRecord | undefined) =>
        changeRecord(flag.slug, before, createdAt, withValuesOf(flag));
      changeFlag(db, { project, environment: slug, flag: flag.slug }, change, by, null);
    }
  }
  return { slug, name, key, locked: false };
}

export function listEnvironments(db: Database, project: string): Environment[] {
  return environmentsOf(db, projectRow(db, project).id);
}

export function lockEnvironment(
  db: Database,
  project: string,
  slug: string,
  locked: boolean,
  by: Author,
): { environment: Environment; result: SetResult } {
  const { id, project_id: projectId } = environmentRow(db, project, slug);
  const find = () => environmentsOf(db, projectId).find((each) => each.slug === slug)!;
  const before = find();
  if (before.locked === locked) return { environment: before, result: "unchanged" };
  query(db, "UPDATE environments SET locked = $locked WHERE id = $id").run({ id, locked: locked ? 1 : 0 });
  recordEnvironment(db, projectId, by, before, find());
  return { environment: find(), result: "updated" };
}

export function deleteEnvironment(db: Database, project: string, slug: string, by: Author): void {
  const { id, project_id: projectId } = environmentRow(db, project, slug);
  const before = environmentsOf(db, projectId).find((each) => each.slug === slug)!;
  query(db, "DELETE FROM environments WHERE id = $id").run({ id });
  recordEnvironment(db, projectId, by, before, null);
}

function recordEnvironment(
  db: Database,
  projectId: number,
  by: Author,
  before: Environment,
  after: Environment | null,
): void {
  recordChange(db, projectId, by, {
    revision: nextVersion(db),
    environment: before.slug,
    kind: "environment",
    name: before.slug,
    before: stateOf(before),
    after: after && stateOf(after),
  });
}

/** Without the key, which the history has no use for. */
function stateOf({ name, locked }: Environment): { name: string; locked: boolean } {
  return { name, locked };
}

export function renameEnvironment(
  db: Database,
  project: string,
  slug: string,
  name: string,
  by: Author,
): void {
  const { id, project_id: projectId } = environmentRow(db, project, slug);
  const before = environmentsOf(db, projectId).find((each) => each.slug === slug)!;
  query(db, "UPDATE environments SET name = $name WHERE id = $id").run({ id, name });
  recordEnvironment(db, projectId, by, before, { ...before, name });
}
