import type { Database } from "bun:sqlite";
import type { Page } from "../../base/pages.ts";
import type { Change, ChangeQuery, RecentChange } from "../../projects/history.ts";
import { cutPage } from "../sql/pages.ts";
import { projectRow } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

type Row = Omit<Change, "before" | "after"> & { before: string | null; after: string | null };

const COLUMNS = "revision, environment, kind, name, at, who, why, before, after";

/** Newest first. */
export function pageChanges(db: Database, project: string, options: ChangeQuery): Page<Change> {
  const { id: projectId } = runWork(db, projectRow(project));
  const { kind, name, environment, who, limit, before } = options;
  const conditions = [
    "project_id = $projectId",
    // A scheduled change that failed belongs to the history of its flag.
    kind === "flag" ? "kind IN ('flag', 'scheduled')" : kind && "kind = $kind",
    name !== undefined && "name = $name",
    environment !== undefined && "(environment = $environment OR environment IS NULL)",
    who !== undefined && "who = $who",
    before !== undefined && "revision < $before",
  ].filter(Boolean);
  const sql = `SELECT ${COLUMNS} FROM changes WHERE ${conditions.join(" AND ")}
    ORDER BY revision DESC LIMIT $limit`;
  const all = { projectId, kind, name, environment, who, before, limit: limit + 1 };
  const used = Object.entries(all).flatMap(([key, value]) =>
    value !== undefined && sql.includes(`$${key}`) ? [[key, value] as const] : [],
  );
  type Values = Record<string, string | number>;
  return cutPage(query<Row, Values>(db, sql).iterate(Object.fromEntries(used)), limit, toChange);
}

export function findChange(db: Database, project: string, revision: number): Change | undefined {
  const { id: projectId } = runWork(db, projectRow(project));
  const sql = `SELECT ${COLUMNS} FROM changes WHERE project_id = $projectId AND revision = $revision`;
  const row = query<Row, { projectId: number; revision: number }>(db, sql).get({ projectId, revision });
  return row ? toChange(row) : undefined;
}

/** Revisions of the setup among which recent changes are searched. */
const RECENT = 1000;

export function recentChanges(db: Database, since: number, limit: number): RecentChange[] {
  type Found = Omit<RecentChange, "wasOn" | "isOn"> & { wasOn: number | null; isOn: number | null };
  const sql = `SELECT c.revision, p.slug AS project, c.environment, c.name AS flag, c.at, c.who, c.why,
      json_extract(c.before, '$.enabled') AS wasOn, json_extract(c.after, '$.enabled') AS isOn
    FROM changes c JOIN projects p ON p.id = c.project_id
    WHERE c.revision > (SELECT max(revision) FROM changes) - ${RECENT} AND c.at >= ?1 AND c.kind = 'flag'
    ORDER BY c.revision DESC LIMIT ?2`;
  const isTrue = (value: number | null) => (value === null ? null : value === 1);
  return query<Found, [number, number]>(db, sql)
    .all(since, limit)
    .map((found) => ({ ...found, wasOn: isTrue(found.wasOn), isOn: isTrue(found.isOn) }));
}

function toChange(row: Row): Change {
  return { ...row, before: fromJson(row.before), after: fromJson(row.after) };
}

function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
