import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { SegmentPlace, SegmentRecord } from "../../flags/segment.ts";
import { pageCut, pageOf } from "./pages.ts";
import { type Revised, environmentRow } from "./rows.ts";
import { type Work, all, first, run } from "./work.ts";

const SELECT = `
  SELECT name, rule, created_at AS "createdAt", updated_at AS "updatedAt", revision
  FROM segments WHERE environment_id = $environmentId`;

type Change<K> = FlagChange & { change: K };

/** Inserts or updates a segment; a new one is the last in order. */
export function* putSegment(
  { project, environment, record }: Change<"putSegment">,
  revision: number,
): Work<Revised> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  const { name, rule, createdAt, updatedAt } = record;
  yield* run(
    `INSERT INTO segments (environment_id, name, rule, position, revision, created_at, updated_at)
       VALUES ($environmentId, $name, $rule,
               (SELECT coalesce(max(position), 0) + 1 FROM segments WHERE environment_id = $environmentId),
               $revision, $createdAt, $updatedAt)
     ON CONFLICT (environment_id, name)
     DO UPDATE SET rule = excluded.rule, revision = excluded.revision, updated_at = excluded.updated_at`,
    { environmentId, name, rule, revision, createdAt, updatedAt },
  );
  return { project: projectId, environment: environmentId };
}

export function* deleteSegment({
  project,
  environment,
  segment: name,
}: Change<"deleteSegment">): Work<Revised> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  const sql = "DELETE FROM segments WHERE environment_id = $environmentId AND name = $name";
  yield* run(sql, { environmentId, name });
  return { project: projectId, environment: environmentId };
}

export function* orderSegments({ project, environment, names }: Change<"orderSegments">): Work<Revised> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  const sql =
    "UPDATE segments SET position = $position WHERE environment_id = $environmentId AND name = $name";
  for (const [index, name] of names.entries()) yield* run(sql, { environmentId, name, position: index + 1 });
  return { project: projectId, environment: environmentId };
}

/** By name. */
function* listSegments(project: string, environment: string): Work<SegmentRecord[]> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  return yield* all(`${SELECT} ORDER BY name`, { environmentId });
}

function* pageSegments(
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Work<Page<SegmentRecord>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} AND name > $after ORDER BY name LIMIT $limit`;
  const rows = all<SegmentRecord>(sql, { environmentId, after, limit: limit + 1 }, pageCut("rule"));
  return yield* pageOf(rows, limit, (row) => row);
}

function* findSegment({
  project,
  environment,
  segment: name,
}: SegmentPlace): Work<SegmentRecord | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  return yield* first(`${SELECT} AND name = $name`, { environmentId, name });
}

/** The segments in their order, which is the order in which flagd substitutes them. */
export function segmentsOfEnvironment(environmentId: number): Work<SegmentRecord[]> {
  return all(`${SELECT} ORDER BY position`, { environmentId });
}

export const segments = {
  reads: { page: pageSegments, find: findSegment },
  readsInTurns: { list: listSegments },
};
