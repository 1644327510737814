import type { Database } from "bun:sqlite";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagHead, FlagStatus } from "../../flags/flag.ts";
import { cutPage } from "../sql/pages.ts";
import { projectRow } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

const HEADS = `
  SELECT slug, description, created_at AS createdAt FROM flags
  WHERE project_id = $projectId AND slug > $after ORDER BY slug LIMIT $limit`;

export function pageHeads(db: Database, project: string, { limit, after = "" }: PageQuery): Page<FlagHead> {
  const { id: projectId } = runWork(db, projectRow(project));
  type Values = { projectId: number; after: string; limit: number };
  const rows = query<FlagHead, Values>(db, HEADS).iterate({ projectId, after, limit: limit + 1 });
  return cutPage(rows, limit, (row) => row);
}

/** Each flag is looked up by its slug, and its values by their key: the join order is fixed. */
const STATUSES = `
  SELECT f.slug, e.slug AS environment, coalesce(v.enabled, 0) AS enabled, v.expires_at AS expiresAt,
         coalesce(v.rules -> '$.targeting', '{}') <> '{}' AS hasRule,
         max(f.revision, coalesce(v.revision, 0)) AS revision, coalesce(w.enabled, 0) AS isPreview,
         r.read_at AS readAt
  FROM json_each($slugs) wanted
  CROSS JOIN flags f ON f.project_id = $projectId AND f.slug = wanted.value
  CROSS JOIN environments e ON e.project_id = $projectId
  LEFT JOIN flag_values v ON v.environment_id = e.id AND v.flag_id = f.id
  LEFT JOIN flag_previews w ON w.environment_id = e.id AND w.flag_id = f.id
  LEFT JOIN flag_reads r ON r.environment_id = e.id AND r.flag_id = f.id
  ORDER BY f.slug, e.slug`;

type Row = Omit<FlagStatus, "enabled" | "hasRule" | "isPreview"> &
  Record<"enabled" | "hasRule" | "isPreview", number>;

export function listStatuses(db: Database, project: string, slugs: string[]): FlagStatus[] {
  const { id: projectId } = runWork(db, projectRow(project));
  type Values = { projectId: number; slugs: string };
  const rows = query<Row, Values>(db, STATUSES).all({ projectId, slugs: JSON.stringify(slugs) });
  return rows.map((row) => ({
    ...row,
    enabled: row.enabled === 1,
    hasRule: row.hasRule === 1,
    isPreview: row.isPreview === 1,
  }));
}
