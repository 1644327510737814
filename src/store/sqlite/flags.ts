import type { Database } from "bun:sqlite";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { FlagPlace, FlagRecord, FlagValues } from "../../flags/flag.ts";
import { NO_PREVIEW } from "../../flags/preview.ts";
import { cutPage } from "../sql/pages.ts";
import { putPreview } from "./previews.ts";
import {
  type EnvironmentRow,
  environmentRow,
  projectRow,
  reviseEnvironment,
  reviseProject,
} from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

type Row = {
  id: number;
  slug: string;
  description: string;
  enabled: number;
  payload: string | null;
  expires_at: number | null;
  rules: string | null;
  imported: number;
  revision: number;
  created_at: number;
  updated_at: number;
};

/** A flag with its preview; null where none is set. */
type FullRow = Row & { preview: number | null; preview_name: string | null; preview_content: string | null };

const COLUMNS = `
         f.id, f.slug, f.description, coalesce(v.enabled, 0) AS enabled, v.payload, v.expires_at, v.rules,
         coalesce(v.imported, 0) AS imported,
         max(f.revision, coalesce(v.revision, 0)) AS revision,
         f.created_at, max(f.updated_at, coalesce(v.updated_at, 0)) AS updated_at`;

const FROM = `
  FROM environments e
  JOIN flags f ON f.project_id = e.project_id
  LEFT JOIN flag_values v ON v.environment_id = e.id AND v.flag_id = f.id`;

/** What readers of flags need, without the content of previews. */
const SELECT_VALUES = `SELECT ${COLUMNS} ${FROM} WHERE e.id = $environmentId`;

const SELECT = `
  SELECT ${COLUMNS}, w.enabled AS preview, w.name AS preview_name, w.content AS preview_content ${FROM}
  LEFT JOIN flag_previews w ON w.environment_id = e.id AND w.flag_id = f.id
  WHERE e.id = $environmentId`;

type Change<K> = FlagChange & { change: K };

export function putFlag(
  db: Database,
  { project, environment, flag: slug, describes, record }: Change<"putFlag">,
  revision: number,
): void {
  const { id: environmentId, project_id: projectId } = runWork(db, environmentRow(project, environment));
  const { description, createdAt, updatedAt, enabled, payload, expiresAt, rules, imported } = record;
  const known = findFlagId(db, projectId, slug);
  if (known !== undefined && describes) {
    query(
      db,
      "UPDATE flags SET description = $description, updated_at = $updatedAt, revision = $revision WHERE id = $id",
    ).run({ description, updatedAt, revision, id: known });
  }
  const flagId = known ?? insertFlag(db, projectId, { slug, description, createdAt, revision });
  query(
    db,
    `INSERT OR REPLACE INTO flag_values
       (environment_id, flag_id, enabled, payload, expires_at, rules, imported, updated_at, revision)
     VALUES ($environmentId, $flagId, $enabled, $payload, $expiresAt, $rules, $imported, $updatedAt, $revision)`,
  ).run({
    environmentId,
    flagId,
    payload,
    expiresAt,
    rules,
    imported: imported ? 1 : 0,
    updatedAt,
    revision,
    enabled: enabled ? 1 : 0,
  });
  putPreview(db, environmentId, flagId, record);
  if (describes || known === undefined) runWork(db, reviseProject(projectId, revision));
  else runWork(db, reviseEnvironment(environmentId, revision));
}

export function deleteFlag(
  db: Database,
  { project, flag: slug }: Change<"deleteFlag">,
  revision: number,
): void {
  const { id: projectId } = runWork(db, projectRow(project));
  query(db, "DELETE FROM flags WHERE project_id = $projectId AND slug = $slug").run({ projectId, slug });
  runWork(db, reviseProject(projectId, revision));
}

export function listFlags(db: Database, project: string, environment: string): FlagRecord[] {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  return query<FullRow, { environmentId: number }>(db, `${SELECT} ORDER BY f.slug`)
    .all({ environmentId })
    .map(toRecord);
}

export function pageFlags(
  db: Database,
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Page<FlagRecord> {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  const sql = `${SELECT} AND f.slug > $after ORDER BY f.slug LIMIT $limit`;
  const rows = query<FullRow, { environmentId: number; after: string; limit: number }>(db, sql);
  return cutPage(rows.iterate({ environmentId, after, limit: limit + 1 }), limit, toRecord);
}

export function findFlag(db: Database, { project, environment, flag }: FlagPlace): FlagRecord | undefined {
  const row = findRow(db, runWork(db, environmentRow(project, environment)).id, flag);
  return row && toRecord(row);
}

/** The environment that two keys select together, and the revision of its flags. */
export function selectEnvironment(
  db: Database,
  projectKey: string,
  environmentKey: string,
): EnvironmentRow | undefined {
  return (
    query<EnvironmentRow, { projectKey: string; environmentKey: string }>(
      db,
      `SELECT e.id, e.project_id, e.revision, e.metadata FROM environments e JOIN projects p ON p.id = e.project_id
         WHERE e.key = $environmentKey AND p.key = $projectKey`,
    ).get({ projectKey, environmentKey }) ?? undefined
  );
}

export function projectOfKeys(db: Database, projectKey: string, environmentKey: string): string | undefined {
  const sql = `SELECT p.slug FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE e.key = $environmentKey AND p.key = $projectKey`;
  type Keys = { projectKey: string; environmentKey: string };
  return query<{ slug: string }, Keys>(db, sql).get({ projectKey, environmentKey })?.slug;
}

/** Those of the slugs that are not flags of the project. */
export function missingFlags(db: Database, project: string, slugs: string[]): string[] {
  const { id: projectId } = runWork(db, projectRow(project));
  return slugs.filter((slug) => findFlagId(db, projectId, slug) === undefined);
}

/** Newest first by creation, then by slug. */
export function flagsOfEnvironment(db: Database, environmentId: number): FlagValues[] {
  const sql = `${SELECT_VALUES} ORDER BY f.created_at DESC, f.slug`;
  return query<Row, { environmentId: number }>(db, sql).all({ environmentId }).map(toValues);
}

function findRow(db: Database, environmentId: number, slug: string): FullRow | undefined {
  const sql = `${SELECT} AND f.slug = $slug`;
  return (
    query<FullRow, { environmentId: number; slug: string }>(db, sql).get({ environmentId, slug }) ?? undefined
  );
}

/** The id of the row of a flag. */
export function findFlagId(db: Database, projectId: number, slug: string): number | undefined {
  const sql = "SELECT id FROM flags WHERE project_id = $projectId AND slug = $slug";
  return query<{ id: number }, { projectId: number; slug: string }>(db, sql).get({ projectId, slug })?.id;
}

function insertFlag(
  db: Database,
  projectId: number,
  flag: Pick<FlagRecord, "slug" | "description" | "createdAt" | "revision">,
): number {
  const { lastInsertRowid } = query(
    db,
    `INSERT INTO flags (project_id, slug, description, created_at, updated_at, revision)
       VALUES ($projectId, $slug, $description, $createdAt, $createdAt, $revision)`,
  ).run({ projectId, ...flag });
  return Number(lastInsertRowid);
}

function toRecord(row: FullRow): FlagRecord {
  return {
    ...toValues(row),
    isPreview: row.preview === 1,
    previewName: row.preview_name ?? NO_PREVIEW.previewName,
    previewContent: row.preview_content ?? NO_PREVIEW.previewContent,
  };
}

function toValues(row: Row): FlagValues {
  return {
    slug: row.slug,
    description: row.description,
    enabled: row.enabled === 1,
    payload: row.payload,
    expiresAt: row.expires_at,
    rules: row.rules,
    imported: row.imported === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
