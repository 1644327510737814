import { type Database, SQLiteError } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import type { Page } from "../../base/pages.ts";
import { type FlagPatch, type FlagRecord, applyPatch, noSuchFlag } from "../../flags/flag.ts";
import { mayMakeGaps, requireNoGaps } from "../../flags/flagd/gaps.ts";
import { parseRules } from "../../flags/rules.ts";
import type { ScheduledQuery } from "../../flags/schedule.ts";
import { type DueChange, type ScheduledChange, noSuchScheduled } from "../../flags/scheduled-change.ts";
import { rulesBySegment } from "../../flags/segment.ts";
import { recordChange } from "./changes.ts";
import { sqliteError } from "./errors.ts";
import { changeFlag, findFlag } from "./flags.ts";
import { cutPage } from "./pages.ts";
import { environmentRow, projectRow } from "./rows.ts";
import { segmentsOfEnvironment } from "./segments.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

type Row = Omit<ScheduledChange, "patch"> & { patch: string; project: string; projectId: number };

const SELECT = `
  SELECT s.id, s.flag, s.patch, s.at, s.who, s.created_at AS createdAt,
         e.slug AS environment, p.slug AS project, p.id AS projectId
  FROM scheduled_changes s
  JOIN environments e ON e.id = s.environment_id
  JOIN projects p ON p.id = e.project_id`;
const BY_TIME = "ORDER BY s.at, s.created_at, s.id";

/** Throws `not_found` for the flag, `invalid` for a change that does not fit it as it is now. */
export function insertScheduled(db: Database, project: string, change: ScheduledChange): ScheduledChange {
  const { id, environment, flag, patch, at, who, createdAt } = change;
  const { id: environmentId } = environmentRow(db, project, environment);
  const current = findFlag(db, { project, environment, flag });
  if (!current) throw noSuchFlag(flag);
  applyPatch(flag, current, patch, at);
  query(
    db,
    `INSERT INTO scheduled_changes (id, environment_id, flag, patch, at, who, created_at)
       VALUES ($id, $environmentId, $flag, $patch, $at, $who, $createdAt)`,
  ).run({ id, environmentId, flag, patch: JSON.stringify(patch), at, who, createdAt });
  return change;
}

/** Ids in order of time: from an index alone, so that no patch is read or sorted that is not on the page. */
const PAGE_IDS = `
  SELECT s.id FROM environments e CROSS JOIN scheduled_changes s ON s.environment_id = e.id
  WHERE e.project_id = $projectId AND ($environmentId IS NULL OR e.id = $environmentId)
    AND (s.at, s.created_at, s.id) > ($at, $createdAt, $id)
  ${BY_TIME} LIMIT $limit`;

export function listScheduled(
  db: Database,
  project: string,
  environment: string | null,
  { limit, after }: ScheduledQuery,
): Page<ScheduledChange> {
  const { id: projectId } = projectRow(db, project);
  const environmentId = environment === null ? null : environmentRow(db, project, environment).id;
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
  return cutPage(rows, limit, ({ id, flag, environment, at, who, createdAt, patch }) => ({
    id,
    flag,
    environment,
    at,
    who,
    createdAt,
    patch: JSON.parse(patch) as FlagPatch,
  }));
}

export function deleteScheduled(db: Database, project: string, environment: string, id: string): void {
  const { id: environmentId } = environmentRow(db, project, environment);
  const sql = "DELETE FROM scheduled_changes WHERE id = $id AND environment_id = $environmentId";
  if (query(db, sql).run({ id, environmentId }).changes === 0) throw noSuchScheduled(id);
}

export function nextScheduled(db: Database): number | null {
  const sql = "SELECT min(at) AS at FROM scheduled_changes";
  return query<{ at: number | null }, []>(db, sql).get()!.at;
}

export function applyDue(db: Database, now: number): DueChange[] {
  const due = query<Row, { now: number }>(db, `${SELECT} WHERE s.at <= $now ${BY_TIME}`).all({ now });
  return due.map((row) => {
    const { id, project, environment, flag } = row;
    query(db, "DELETE FROM scheduled_changes WHERE id = $id").run({ id });
    return { id, project, environment, flag, failure: apply(db, row) };
  });
}

/** Why it could not be made; null where it was. Whatever is wrong with one change, the others are made. */
function apply(db: Database, row: Row): string | null {
  query(db, "SAVEPOINT due").run();
  try {
    make(db, row);
    return null;
  } catch (error) {
    // A full disk, say, is no fault of the change: all of them are made later.
    if (!db.inTransaction || (error instanceof SQLiteError && sqliteError(error) instanceof AppError))
      throw error;
    query(db, "ROLLBACK TO due").run();
    const dropped = reasonOf(error);
    const { projectId, environment, flag, at, who } = row;
    const after = { dropped, change: parsed(row.patch) };
    const revision = nextVersion(db);
    const what = { revision, environment, kind: "scheduled", name: flag, before: null, after } as const;
    recordChange(db, projectId, { who, at }, what);
    return dropped;
  } finally {
    if (db.inTransaction) query(db, "RELEASE due").run();
  }
}

function make(db: Database, row: Row): void {
  const { project, environment, flag, at, who, createdAt } = row;
  const patch = JSON.parse(row.patch) as FlagPatch;
  const change = (before: FlagRecord | undefined) => {
    // One of the same name that was made since is another.
    if (!before || before.createdAt > createdAt) throw noSuchFlag(flag);
    const changed = applyPatch(flag, before, patch, at);
    const { rules } = changed.record;
    if (rules !== null && mayMakeGaps(patch)) {
      const { id } = environmentRow(db, project, environment);
      requireNoGaps(parseRules(rules), rulesBySegment(segmentsOfEnvironment(db, id)));
    }
    return changed;
  };
  changeFlag(db, { project, environment, flag }, change, { who, at }, null);
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError || error instanceof RangeError) return error.message;
  return `internal error: ${String(error)}`;
}

/** Text that is no JSON as it is. */
function parsed(patch: string): unknown {
  try {
    return JSON.parse(patch);
  } catch {
    return patch;
  }
}
