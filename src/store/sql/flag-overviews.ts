import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagHead, FlagStatus } from "../../flags/flag.ts";
import type * as RuleWords from "../../flags/rules/rule-words.ts";
import { optionalColumns } from "./flag-columns.ts";
import { pageCut, pageOf } from "./pages.ts";
import { projectRow } from "./rows.ts";
import { type Work, all } from "./work.ts";

const HEADS = `
  SELECT f.slug, f.description, f.created_at AS "createdAt", ${optionalColumns("flags")} FROM flags f
  WHERE f.project_id = $projectId AND f.slug > $after ORDER BY f.slug LIMIT $limit`;

type HeadRow = Omit<FlagHead, "permanent" | "archived"> & Record<"permanent" | "archived", number>;

export function* pageHeads(project: string, { limit, after = "" }: PageQuery): Work<Page<FlagHead>> {
  const { id: projectId } = yield* projectRow(project);
  const rows = all<HeadRow>(
    HEADS,
    { projectId, after, limit: limit + 1 },
    pageCut("description", "tags", "colours"),
  );
  return yield* pageOf(rows, limit, (row) => ({
    ...row,
    permanent: row.permanent === 1,
    archived: row.archived === 1,
  }));
}

/**
 * Each flag is looked up by its slug, and its values by their key: SQLite keeps the order of the joins. Rules are read
 * for their words and shares.
 */
const STATUSES = `
  SELECT f.slug, e.slug AS environment, coalesce(v.enabled, 0) AS enabled, v.expires_at AS "expiresAt",
         substr(v.rules, 1, 16385) AS rules, substr(v.payload, 1, 1025) AS payload,
         coalesce(v.requires, '') AS requires,
         CASE WHEN v.revision > f.revision THEN v.revision ELSE f.revision END AS revision,
         CASE WHEN v.updated_at > f.updated_at THEN v.updated_at ELSE f.updated_at END AS "updatedAt",
         coalesce(w.enabled, 0) AS "isPreview", r.read_at AS "readAt"
  FROM json_each($slugs) AS wanted
  CROSS JOIN flags f
  CROSS JOIN environments e
  LEFT JOIN flag_values v ON v.environment_id = e.id AND v.flag_id = f.id
  LEFT JOIN flag_previews w ON w.environment_id = e.id AND w.flag_id = f.id
  LEFT JOIN flag_reads r ON r.environment_id = e.id AND r.flag_id = f.id
  WHERE f.project_id = $projectId AND f.slug = wanted.value AND e.project_id = $projectId
  ORDER BY f.slug, e.slug`;

type Row = Omit<FlagStatus, "enabled" | "rule" | "share" | "isPreview"> &
  Record<"enabled" | "isPreview", number>;

export function* listStatuses(project: string, slugs: string[]): Work<FlagStatus[]> {
  const { id: projectId } = yield* projectRow(project);
  const rows = yield* all<Row>(STATUSES, { projectId, slugs: JSON.stringify(slugs) });
  // The language of rules takes longer to load than the statements of flags, which every command on a flag needs.
  const { everyoneShare, ruleInCell } = require("../../flags/rules/rule-words.ts") as typeof RuleWords;
  return rows.map((row) => ({
    ...row,
    enabled: row.enabled === 1,
    rule: row.rules?.includes('"targeting"') ? ruleInCell(row.rules) : "",
    share: row.rules === null ? "100" : everyoneShare(row.rules),
    isPreview: row.isPreview === 1,
  }));
}
