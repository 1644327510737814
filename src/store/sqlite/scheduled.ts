import type { Database } from "bun:sqlite";
import type { Page } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { FlagPatch } from "../../flags/flag.ts";
import type { DueChange, ScheduledChange, ScheduledQuery } from "../../flags/scheduled-change.ts";
import { cutPage } from "../sql/pages.ts";
import { environmentRow, projectRow } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

type Row = Omit<ScheduledChange, "patch"> & { patch: string; project: string };

const SELECT = `
  SELECT s.id, s.flag, s.patch, s.at, s.who, s.why, s.created_at AS createdAt,
         e.slug AS environment, p.slug AS project
  FROM scheduled_changes s
  JOIN environments e ON e.id = s.environment_id
  JOIN projects p ON p.id = e.project_id`;
const BY_TIME = "ORDER BY s.at, s.created_at, s.id";

type Change<K> = FlagChange & { change: K };

export function insertScheduled(db: Database, { project, scheduled }: Change<"insertScheduled">): void {
  const { id, environment, flag, patch, at, who, why, createdAt } = scheduled;
  query(
    db,
    `INSERT INTO scheduled_changes (id, environment_id, flag, patch, at, who, why, created_at)
       VALUES ($id, $environmentId, $flag, $patch, $at, $who, $why, $createdAt)`,
  ).run({
    id,
    environmentId: runWork(db, environmentRow(project, environment)).id,
    flag,
    patch: JSON.stringify(patch),
    at,
    who,
    why,
    createdAt,
  });
}

export function deleteScheduled(db: Database, { id }: Change<"deleteScheduled">): void {
  query(db, "DELETE FROM scheduled_changes WHERE id = $id").run({ id });
}

/** Selects ids in order of time from an index alone, so that only patches on the page are read. */
const PAGE_IDS = `
  SELECT s.id FROM environments e CROSS JOIN scheduled_changes s ON s.environment_id = e.id
  WHERE e.project_id = $projectId AND ($environmentId IS NULL OR e.id = $environmentId)
    AND (s.at, s.created_at, s.id) > ($at, $createdAt, $id)
  ${BY_TIME} LIMIT $limit`;

export function pageScheduled(
  db: Database,
  project: string,
  environment: string | null,
  { limit, after }: ScheduledQuery,
): Page<ScheduledChange> {
  const { id: projectId } = runWork(db, projectRow(project));
  const environmentId = environment === null ? null : runWork(db, environmentRow(project, environment)).id;
  const { at, createdAt, id } = after ?? { at: -1, createdAt: 0, id: "" };
  type Values = Record<string, string | number | null>;
  const ids = query<{ id: string }, Values>(db, PAGE_IDS).all({
    projectId,
    environmentId,
    at,
    createdAt,
    id,
    limit: limit + 1,
  });
  const rows = ids
    .values()
    .map(({ id }) => query<Row, { id: string }>(db, `${SELECT} WHERE s.id = $id`).get({ id })!);
  return cutPage(rows, limit, toScheduled);
}

export function findScheduled(
  db: Database,
  project: string,
  environment: string,
  id: string,
): ScheduledChange | undefined {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  const sql = `${SELECT} WHERE s.id = $id AND s.environment_id = $environmentId`;
  const row = query<Row, { id: string; environmentId: number }>(db, sql).get({ id, environmentId });
  return row ? toScheduled(row) : undefined;
}

export function nextScheduled(db: Database): number | null {
  const sql = "SELECT min(at) AS at FROM scheduled_changes";
  return query<{ at: number | null }, []>(db, sql).get()!.at;
}

export function upcomingChanges(db: Database, atMost: number): { count: number; next: DueChange | null } {
  const sql = "SELECT count(*) AS count FROM (SELECT 1 FROM scheduled_changes LIMIT ?1)";
  const { count } = query<{ count: number }, [number]>(db, sql).get(atMost)!;
  return { count, next: findDue(db, Number.MAX_SAFE_INTEGER) ?? null };
}

/** The first change that is due at `now`. */
export function findDue(db: Database, now: number): DueChange | undefined {
  const row = query<Row, { now: number }>(db, `${SELECT} WHERE s.at <= $now ${BY_TIME} LIMIT 1`).get({ now });
  return row ? { project: row.project, scheduled: toScheduled(row) } : undefined;
}

function toScheduled({ id, flag, environment, at, who, why, createdAt, patch }: Row): ScheduledChange {
  return { id, flag, environment, at, who, why, createdAt, patch: parsed(patch) };
}

/** Returns text that is not JSON as it is: only a damaged database has it, and the product discards the change. */
function parsed(text: string): FlagPatch {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text as FlagPatch;
    throw error;
  }
}
