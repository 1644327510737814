import type { Database } from "bun:sqlite";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { SegmentPlace, SegmentRecord } from "../../flags/segment.ts";
import { cutPage } from "../sql/pages.ts";
import { environmentRow, reviseEnvironment } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

const SELECT = `
  SELECT name, rule, created_at AS createdAt, updated_at AS updatedAt, revision
  FROM segments WHERE environment_id = $environmentId`;

type Change<K> = FlagChange & { change: K };

/** Inserts or updates a segment; a new one is the last in order. */
export function putSegment(
  db: Database,
  { project, environment, record }: Change<"putSegment">,
  revision: number,
): void {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  query(
    db,
    `INSERT INTO segments (environment_id, name, rule, position, revision, created_at, updated_at)
       VALUES ($environmentId, $name, $rule,
               (SELECT coalesce(max(position), 0) + 1 FROM segments WHERE environment_id = $environmentId),
               $revision, $createdAt, $updatedAt)
     ON CONFLICT DO UPDATE SET rule = excluded.rule, revision = excluded.revision, updated_at = excluded.updated_at`,
  ).run({ environmentId, ...record, revision });
  runWork(db, reviseEnvironment(environmentId, revision));
}

export function deleteSegment(
  db: Database,
  { project, environment, segment: name }: Change<"deleteSegment">,
  revision: number,
): void {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  query(db, "DELETE FROM segments WHERE environment_id = $environmentId AND name = $name").run({
    environmentId,
    name,
  });
  runWork(db, reviseEnvironment(environmentId, revision));
}

export function orderSegments(
  db: Database,
  { project, environment, names }: Change<"orderSegments">,
  revision: number,
): void {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  for (const [index, name] of names.entries()) {
    query(
      db,
      "UPDATE segments SET position = $position WHERE environment_id = $environmentId AND name = $name",
    ).run({ environmentId, name, position: index + 1 });
  }
  runWork(db, reviseEnvironment(environmentId, revision));
}

/** By name. */
export function listSegments(db: Database, project: string, environment: string): SegmentRecord[] {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  const sql = `${SELECT} ORDER BY name`;
  return query<SegmentRecord, { environmentId: number }>(db, sql).all({ environmentId });
}

export function pageSegments(
  db: Database,
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Page<SegmentRecord> {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  const sql = `${SELECT} AND name > $after ORDER BY name LIMIT $limit`;
  const rows = query<SegmentRecord, { environmentId: number; after: string; limit: number }>(db, sql);
  return cutPage(rows.iterate({ environmentId, after, limit: limit + 1 }), limit, (row) => row);
}

export function findSegment(
  db: Database,
  { project, environment, segment }: SegmentPlace,
): SegmentRecord | undefined {
  return findRow(db, runWork(db, environmentRow(project, environment)).id, segment);
}

/** The segments in their order, which is the order in which flagd substitutes them. */
export function segmentsOfEnvironment(db: Database, environmentId: number): SegmentRecord[] {
  const sql = `${SELECT} ORDER BY position`;
  return query<SegmentRecord, { environmentId: number }>(db, sql).all({ environmentId });
}

function findRow(db: Database, environmentId: number, name: string): SegmentRecord | undefined {
  const sql = `${SELECT} AND name = $name`;
  return (
    query<SegmentRecord, { environmentId: number; name: string }>(db, sql).get({ environmentId, name }) ??
    undefined
  );
}
