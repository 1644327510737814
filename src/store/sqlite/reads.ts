import type { Database } from "bun:sqlite";
import type { FlagRead } from "../../flags/flag-read.ts";
import { environmentRow } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

/** Ignores a read from before the flag was created: it was a read of an earlier flag with that name. */
const MARK = `
  INSERT INTO flag_reads (environment_id, flag_id, read_at)
  SELECT e.id, f.id, $at FROM environments e JOIN flags f ON f.project_id = e.project_id
  WHERE e.key = $environmentKey AND f.created_at <= $at`;
const LATEST = "ON CONFLICT DO UPDATE SET read_at = excluded.read_at WHERE read_at < excluded.read_at";

export function markRead(db: Database, reads: FlagRead[]): void {
  for (const { environmentKey, slug, at } of reads) {
    if (slug === null) query(db, `${MARK} ${LATEST}`).run({ environmentKey, at });
    else query(db, `${MARK} AND f.slug = $slug ${LATEST}`).run({ environmentKey, at, slug });
  }
}

export function listReads(db: Database, project: string, environment: string): Map<string, number> {
  const { id: environmentId } = runWork(db, environmentRow(project, environment));
  const sql = `SELECT f.slug, r.read_at AS at FROM flag_reads r JOIN flags f ON f.id = r.flag_id
    WHERE r.environment_id = $environmentId`;
  const rows = query<{ slug: string; at: number }, { environmentId: number }>(db, sql).all({ environmentId });
  return new Map(rows.map(({ slug, at }) => [slug, at]));
}
