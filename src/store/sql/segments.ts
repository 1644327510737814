import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { MemberCounts } from "../../flags/members.ts";
import type { SegmentSource } from "../../flags/source-card.ts";
import { type SegmentPlace, type SegmentRecord, filledDefinition } from "../../flags/segment.ts";
import { dropSource, putSource } from "./memberships/sources.ts";
import { pageCut, pageOf } from "./pages.ts";
import { PROJECT_OF_FORM, type Revised, environmentRow } from "./rows.ts";
import { type Work, all, fieldsOf, first, run } from "./work.ts";

const SELECT = `
  SELECT ${fieldsOf("s", "name rule createdAt updatedAt revision")},
         f.slug AS form, ${fieldsOf("o", "field attribute approve welcome members pending")}, ${PROJECT_OF_FORM} AS project
  FROM segments s LEFT JOIN segment_sources o ON o.environment_id = s.environment_id AND o.segment = s.name
       LEFT JOIN forms f ON f.id = o.form_id
  WHERE s.environment_id = $environmentId`;

type Row = Omit<SegmentRecord, "source" | "counts"> &
  Omit<SegmentSource, "approve" | "welcome"> &
  MemberCounts & { approve: number | null; welcome: string | null };

function toRecord(row: Row): SegmentRecord {
  const { name, rule, createdAt, updatedAt, revision, members, pending, approve, welcome, ...source } = row;
  const times = { createdAt, updatedAt, revision };
  if (approve === null) return { name, rule, ...times };
  const definition = filledDefinition(name, {
    ...source,
    approve: approve === 1,
    ...(welcome !== null && { welcome }),
  });
  return { name, ...definition, counts: { members, pending }, ...times };
}

/** The rule of a segment that a form fills, for a release that knows no sources. */
const NOBODY = "false";

type Change<K> = FlagChange & { change: K };

/** Inserts or updates a segment; a new one is the last in order. */
export function* putSegment(
  { project, environment, record }: Change<"putSegment">,
  revision: number,
): Work<Revised> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  const { name, source, createdAt, updatedAt } = record;
  const rule = source ? NOBODY : record.rule;
  yield* run(
    `INSERT INTO segments (environment_id, name, rule, position, revision, created_at, updated_at)
       VALUES ($environmentId, $name, $rule,
               (SELECT coalesce(max(position), 0) + 1 FROM segments WHERE environment_id = $environmentId),
               $revision, $createdAt, $updatedAt)
     ON CONFLICT (environment_id, name)
     DO UPDATE SET rule = excluded.rule, revision = excluded.revision, updated_at = excluded.updated_at`,
    { environmentId, name, rule, revision, createdAt, updatedAt },
  );
  if (source) yield* putSource(environmentId, name, source, revision);
  else yield* dropSource(environmentId, name);
  return { project: projectId, environment: environmentId };
}

export function* deleteSegment({
  project,
  environment,
  segment: name,
}: Change<"deleteSegment">): Work<Revised> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  yield* dropSource(environmentId, name);
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
  return (yield* all<Row>(`${SELECT} ORDER BY s.name`, { environmentId })).map(toRecord);
}

function* pageSegments(
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Work<Page<SegmentRecord>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} AND s.name > $after ORDER BY s.name LIMIT $limit`;
  const rows = all<Row>(sql, { environmentId, after, limit: limit + 1 }, pageCut("rule"));
  return yield* pageOf(rows, limit, toRecord);
}

function* findSegment({
  project,
  environment,
  segment: name,
}: SegmentPlace): Work<SegmentRecord | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const row = yield* first<Row>(`${SELECT} AND s.name = $name`, { environmentId, name });
  return row && toRecord(row);
}

/** The segments in their order, which is the order in which flagd substitutes them. */
export function* segmentsOfEnvironment(environmentId: number): Work<SegmentRecord[]> {
  return (yield* all<Row>(`${SELECT} ORDER BY s.position`, { environmentId })).map(toRecord);
}

export const segments = {
  reads: { page: pageSegments, find: findSegment },
  readsInTurns: { list: listSegments },
};
