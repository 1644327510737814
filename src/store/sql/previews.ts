import type { FlagRecord } from "../../flags/flag.ts";
import type { PreviewedFlag } from "../../flags/previews/preview.ts";
import { type Work, all, run } from "./work.ts";

type Preview = Pick<FlagRecord, "isPreview" | "previewName" | "previewContent">;

/** Stores the preview of a flag in an environment, or removes the row of one for which nothing is set. */
export function* putPreview(environmentId: number, flagId: number, record: Preview): Work<void> {
  const { isPreview, previewName: name, previewContent: content } = record;
  if (!isPreview && name === "" && content === "") {
    const sql = "DELETE FROM flag_previews WHERE environment_id = $environmentId AND flag_id = $flagId";
    yield* run(sql, { environmentId, flagId });
    return;
  }
  yield* run(
    `INSERT INTO flag_previews (environment_id, flag_id, enabled, name, content)
       VALUES ($environmentId, $flagId, $enabled, $name, $content)
     ON CONFLICT (environment_id, flag_id)
     DO UPDATE SET enabled = excluded.enabled, name = excluded.name, content = excluded.content`,
    { environmentId, flagId, enabled: isPreview ? 1 : 0, name, content },
  );
}

/** The flags that are previews, newest first by creation, then by slug. */
export function* previewsOfEnvironment(environmentId: number): Work<PreviewedFlag[]> {
  type Row = Omit<PreviewedFlag, "enabled"> & { enabled: number };
  const rows = yield* all<Row>(
    `SELECT f.slug, coalesce(v.enabled, 0) AS enabled, w.name AS "previewName", w.content AS "previewContent",
            v.expires_at AS "expiresAt", f.created_at AS "createdAt"
     FROM flag_previews w
     JOIN flags f ON f.id = w.flag_id
     LEFT JOIN flag_values v ON v.environment_id = w.environment_id AND v.flag_id = f.id
     WHERE w.environment_id = $environmentId AND w.enabled = 1
     ORDER BY f.created_at DESC, f.slug`,
    { environmentId },
  );
  return rows.map((row) => ({ ...row, enabled: row.enabled === 1 }));
}
