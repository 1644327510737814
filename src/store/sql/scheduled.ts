import type { Page } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { FlagPatch } from "../../flags/flag.ts";
import type { DueChange, ScheduledChange, ScheduledQuery } from "../../flags/schedule/scheduled-change.ts";
import { amongProjects } from "./lists.ts";
import { cutPage } from "./pages.ts";
import { environmentRow, projectRow } from "./rows.ts";
import { type Work, all, fieldsOf, first, insert, only, run } from "./work.ts";

type Row = Omit<ScheduledChange, "patch"> & { patch: string; project: string };

const COLUMNS = `
  ${fieldsOf("s", "id flag patch at who why createdAt")}, e.slug AS environment, p.slug AS project`;

const PLACED = "JOIN environments e ON e.id = s.environment_id JOIN projects p ON p.id = e.project_id";

const SELECT = `
  SELECT ${COLUMNS} FROM scheduled_changes s ${PLACED}`;
const BY_TIME = "ORDER BY s.at, s.created_at, s.id";

type Change<K> = FlagChange & { change: K };

export function* insertScheduled({ project, scheduled }: Change<"insertScheduled">): Work<void> {
  const { id, environment, flag, patch, at, who, why, createdAt } = scheduled;
  const { id: environmentId } = yield* environmentRow(project, environment);
  const row = { id, environmentId, flag, patch: JSON.stringify(patch), at, who, why, createdAt };
  yield* insert("scheduled_changes", row);
}

export function* deleteScheduled({ id }: Change<"deleteScheduled">): Work<void> {
  yield* run("DELETE FROM scheduled_changes WHERE id = $id", { id });
}

/** Selects ids in order of time from an index alone, so that only patches on the page are read. */
const pageIds = (inEnvironment: string) => `
  SELECT s.id FROM environments e CROSS JOIN scheduled_changes s
  WHERE e.project_id = $projectId ${inEnvironment} AND s.environment_id = e.id
    AND (s.at, s.created_at, s.id) > ($at, $createdAt, $id)
  ${BY_TIME} LIMIT $limit`;
const PAGE_OF_PROJECT = pageIds("");
const PAGE_OF_ENVIRONMENT = pageIds("AND e.id = $environmentId");

/** Changes that are read at once: their patches may be long. */
const STEP = 100;

function* pageScheduled(
  project: string,
  environment: string | null,
  { limit, after }: ScheduledQuery,
): Work<Page<ScheduledChange>> {
  const { id: projectId } = yield* projectRow(project);
  const { at, createdAt, id } = after ?? { at: -1, createdAt: 0, id: "" };
  const from = { projectId, at, createdAt, id, limit: limit + 1 };
  const found =
    environment === null
      ? yield* all<{ id: string }>(PAGE_OF_PROJECT, from)
      : yield* all<{ id: string }>(PAGE_OF_ENVIRONMENT, {
          ...from,
          environmentId: (yield* environmentRow(project, environment)).id,
        });
  const rows: Row[] = [];
  for (let step = 0; step < found.length; step += STEP) {
    rows.push(...(yield* readScheduled(found.slice(step, step + STEP).map((row) => row.id))));
    if (cutPage(rows, limit, () => null).more) break;
  }
  return cutPage(rows, limit, toScheduled);
}

/** The changes with these ids, in their order. */
function* readScheduled(ids: string[]): Work<Row[]> {
  const rows = yield* all<Row>(
    `SELECT ${COLUMNS} FROM json_each($ids) AS wanted
     CROSS JOIN scheduled_changes s CROSS JOIN environments e CROSS JOIN projects p
     WHERE s.id = wanted.value AND e.id = s.environment_id AND p.id = e.project_id`,
    { ids: JSON.stringify(ids) },
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function* findScheduled(project: string, environment: string, id: string): Work<ScheduledChange | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE s.id = $id AND s.environment_id = $environmentId`;
  const row = yield* first<Row>(sql, { id, environmentId });
  return row && toScheduled(row);
}

function* nextScheduled(): Work<number | null> {
  const { at } = yield* only<{ at: number | null }>("SELECT min(at) AS at FROM scheduled_changes");
  return at;
}

function* nextChanges(projects: readonly string[] | null, limit: number): Work<DueChange[]> {
  const among = amongProjects("p.slug", projects);
  const sql = `${SELECT} WHERE true ${among.sql} ${BY_TIME} LIMIT $limit`;
  return (yield* all<Row>(sql, { ...among.params, limit })).map(dueOf);
}

/** The first change that is due at `now`. */
function* findDue(now: number): Work<DueChange | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE s.at <= $now ${BY_TIME} LIMIT 1`, { now });
  return row && dueOf(row);
}

function dueOf(row: Row): DueChange {
  return { project: row.project, scheduled: toScheduled(row) };
}

function toScheduled({ project: _project, patch, ...row }: Row): ScheduledChange {
  return { ...row, patch: parsed(patch) };
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

export const scheduled = {
  reads: { find: findScheduled, nextAt: nextScheduled, next: nextChanges, findDue },
  readsAtOnce: { page: pageScheduled },
};
