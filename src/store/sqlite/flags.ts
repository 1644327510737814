import type { Database } from "bun:sqlite";
import { applyPatch, noSuchFlag, type FlagPatch, type FlagRecord, type SetResult } from "../../flags.ts";
import type { FlagPlace } from "../../store.ts";

import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";
import { environmentRow, projectRow } from "./rows.ts";

type Row = {
  id: number;
  slug: string;
  description: string;
  enabled: number;
  payload: string | null;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
};

const SELECT = `
  SELECT f.id, f.slug, f.description, coalesce(v.enabled, 0) AS enabled, v.payload, v.expires_at,
         f.created_at, max(f.updated_at, coalesce(v.updated_at, 0)) AS updated_at
  FROM environments e
  JOIN flags f ON f.project_id = e.project_id
  LEFT JOIN flag_values v ON v.environment_id = e.id AND v.flag_id = f.id
  WHERE e.id = $environmentId`;

export function setFlag(
  db: Database,
  { project, environment, flag: slug }: FlagPlace,
  patch: FlagPatch,
  now: number,
): { record: FlagRecord; result: SetResult } {
  const { id: environmentId, project_id: projectId } = environmentRow(db, project, environment);
  const row = findRow(db, environmentId, slug);
  const before = row && toRecord(row);
  const { record, result } = applyPatch(slug, before, patch, now);
  if (result === "unchanged") return { record, result };

  const flagId = row?.id ?? insertFlag(db, projectId, record);
  const describes = before !== undefined && before.description !== record.description;
  if (describes) {
    query(db, "UPDATE flags SET description = $description, updated_at = $now WHERE id = $flagId").run({
      description: record.description,
      now,
      flagId,
    });
  }
  query(
    db,
    `INSERT OR REPLACE INTO flag_values (environment_id, flag_id, enabled, payload, expires_at, updated_at)
     VALUES ($environmentId, $flagId, $enabled, $payload, $expiresAt, $updatedAt)`,
  ).run({
    environmentId,
    flagId,
    payload: record.payload,
    expiresAt: record.expiresAt,
    updatedAt: record.updatedAt,
    enabled: record.enabled ? 1 : 0,
  });
  if (result === "created" || describes) reviseProject(db, projectId);
  else reviseEnvironment(db, environmentId);
  return { record, result };
}

export function listFlags(db: Database, project: string, environment: string): FlagRecord[] {
  const { id: environmentId } = environmentRow(db, project, environment);
  return query<Row, { environmentId: number }>(db, `${SELECT} ORDER BY f.slug`)
    .all({ environmentId })
    .map(toRecord);
}

export function findFlag(db: Database, { project, environment, flag }: FlagPlace): FlagRecord | undefined {
  const row = findRow(db, environmentRow(db, project, environment).id, flag);
  return row && toRecord(row);
}

export function deleteFlag(db: Database, project: string, slug: string): void {
  const { id: projectId } = projectRow(db, project);
  const { changes } = query(db, "DELETE FROM flags WHERE project_id = $projectId AND slug = $slug").run({
    projectId,
    slug,
  });
  if (changes === 0) throw noSuchFlag(slug);
  reviseProject(db, projectId);
}

/** The environment that two keys select together, and the revision of its flags. */
export function selectEnvironment(
  db: Database,
  projectKey: string,
  environmentKey: string,
): { id: number; revision: number } | undefined {
  return (
    query<{ id: number; revision: number }, { projectKey: string; environmentKey: string }>(
      db,
      `SELECT e.id, e.revision FROM environments e JOIN projects p ON p.id = e.project_id
         WHERE e.key = $environmentKey AND p.key = $projectKey`,
    ).get({ projectKey, environmentKey }) ?? undefined
  );
}

/** Newest first by creation, then by slug. */
export function flagsOfEnvironment(db: Database, environmentId: number): FlagRecord[] {
  const sql = `${SELECT} ORDER BY f.created_at DESC, f.slug`;
  return query<Row, { environmentId: number }>(db, sql).all({ environmentId }).map(toRecord);
}

function findRow(db: Database, environmentId: number, slug: string): Row | undefined {
  const sql = `${SELECT} AND f.slug = $slug`;
  return (
    query<Row, { environmentId: number; slug: string }>(db, sql).get({ environmentId, slug }) ?? undefined
  );
}

function insertFlag(db: Database, projectId: number, record: FlagRecord): number {
  const { lastInsertRowid } = query(
    db,
    `INSERT INTO flags (project_id, slug, description, created_at, updated_at)
       VALUES ($projectId, $slug, $description, $createdAt, $createdAt)`,
  ).run({ projectId, slug: record.slug, description: record.description, createdAt: record.createdAt });
  return Number(lastInsertRowid);
}

function reviseEnvironment(db: Database, id: number): void {
  query(db, "UPDATE environments SET revision = $revision WHERE id = $id").run({
    id,
    revision: nextVersion(db),
  });
}

function reviseProject(db: Database, projectId: number): void {
  const sql = "UPDATE environments SET revision = $revision WHERE project_id = $projectId";
  query(db, sql).run({ projectId, revision: nextVersion(db) });
}

function toRecord(row: Row): FlagRecord {
  return {
    slug: row.slug,
    description: row.description,
    enabled: row.enabled === 1,
    payload: row.payload,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
