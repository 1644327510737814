import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { SetResult } from "../../base/result.ts";
import { requireRevision } from "../../flags/history.ts";
import { type SegmentPlace, type SegmentRecord, applyRule, noSuchSegment } from "../../flags/segment.ts";
import { recordChange } from "./changes.ts";
import { cutPage } from "./pages.ts";
import { environmentRow, reviseEnvironment } from "./rows.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

const SELECT = `
  SELECT name, rule, created_at AS createdAt, updated_at AS updatedAt, revision
  FROM segments WHERE environment_id = $environmentId`;

export function setSegment(
  db: Database,
  { project, environment, segment: name }: SegmentPlace,
  rule: string,
  by: Author,
  expected: number | null,
): { record: SegmentRecord; result: SetResult } {
  const { id: environmentId, project_id: projectId } = environmentRow(db, project, environment);
  const before = findRow(db, environmentId, name);
  if (expected !== null) requireRevision(name, before?.revision ?? 0, expected);
  const { record: asked, result } = applyRule(name, before, rule, by.at);
  if (result === "unchanged") return { record: asked, result };
  const revision = nextVersion(db);
  const record = { ...asked, revision };
  query(
    db,
    `INSERT INTO segments (environment_id, name, rule, position, revision, created_at, updated_at)
       VALUES ($environmentId, $name, $rule,
               (SELECT coalesce(max(position), 0) + 1 FROM segments WHERE environment_id = $environmentId),
               $revision, $createdAt, $updatedAt)
     ON CONFLICT DO UPDATE SET rule = excluded.rule, revision = excluded.revision, updated_at = excluded.updated_at`,
  ).run({ environmentId, ...record });
  reviseEnvironment(db, environmentId, revision);
  recordChange(db, projectId, by, {
    revision,
    environment,
    kind: "segment",
    name,
    before: before && JSON.parse(before.rule),
    after: JSON.parse(rule),
  });
  return { record, result };
}

/** By name. */
export function listSegments(db: Database, project: string, environment: string): SegmentRecord[] {
  const { id: environmentId } = environmentRow(db, project, environment);
  const sql = `${SELECT} ORDER BY name`;
  return query<SegmentRecord, { environmentId: number }>(db, sql).all({ environmentId });
}

export function pageSegments(
  db: Database,
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Page<SegmentRecord> {
  const { id: environmentId } = environmentRow(db, project, environment);
  const sql = `${SELECT} AND name > $after ORDER BY name LIMIT $limit`;
  const rows = query<SegmentRecord, { environmentId: number; after: string; limit: number }>(db, sql);
  return cutPage(rows.iterate({ environmentId, after, limit: limit + 1 }), limit, (row) => row);
}

export function findSegment(
  db: Database,
  { project, environment, segment }: SegmentPlace,
): SegmentRecord | undefined {
  return findRow(db, environmentRow(db, project, environment).id, segment);
}

export function deleteSegment(
  db: Database,
  { project, environment, segment: name }: SegmentPlace,
  by: Author,
  expected: number | null,
): void {
  const { id: environmentId, project_id: projectId } = environmentRow(db, project, environment);
  const before = findRow(db, environmentId, name);
  if (expected !== null) requireRevision(name, before?.revision ?? 0, expected);
  if (!before) throw noSuchSegment(name);
  query(db, "DELETE FROM segments WHERE environment_id = $environmentId AND name = $name").run({
    environmentId,
    name,
  });
  const revision = nextVersion(db);
  reviseEnvironment(db, environmentId, revision);
  const rule: unknown = JSON.parse(before.rule);
  recordChange(db, projectId, by, {
    revision,
    environment,
    kind: "segment",
    name,
    before: rule,
    after: null,
  });
}

/** In the order in which they were made, in which flagd puts them in. */
export function segmentsOfEnvironment(db: Database, environmentId: number): SegmentRecord[] {
  const sql = `${SELECT} ORDER BY position`;
  return query<SegmentRecord, { environmentId: number }>(db, sql).all({ environmentId });
}

/** Puts these behind all others of an environment, in this order. */
export function moveToEnd(db: Database, environmentId: number, names: string[]): void {
  for (const name of names) {
    query(
      db,
      `UPDATE segments SET position = (SELECT max(position) + 1 FROM segments WHERE environment_id = $environmentId)
         WHERE environment_id = $environmentId AND name = $name`,
    ).run({ environmentId, name });
  }
}

function findRow(db: Database, environmentId: number, name: string): SegmentRecord | undefined {
  const sql = `${SELECT} AND name = $name`;
  return (
    query<SegmentRecord, { environmentId: number; name: string }>(db, sql).get({ environmentId, name }) ??
    undefined
  );
}
