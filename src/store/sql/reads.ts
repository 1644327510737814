import type { FlagRead } from "../../flags/reads/flag-read.ts";
import { environmentRow } from "./rows.ts";
import { textOrder } from "./lists.ts";
import { type Work, all, run } from "./work.ts";

/** Ignores a read from before the flag was created: it was a read of an earlier flag with that name. */
const mark = (ofFlag: string) => `
  INSERT INTO flag_reads (environment_id, flag_id, read_at)
  SELECT e.id, f.id, CAST($at AS BIGINT) FROM environments e JOIN flags f ON f.project_id = e.project_id
  WHERE e.key = $environmentKey AND f.created_at <= $at ${ofFlag}
  ORDER BY f.slug
  ON CONFLICT (environment_id, flag_id)
  DO UPDATE SET read_at = excluded.read_at WHERE flag_reads.read_at < excluded.read_at`;
const MARK_ALL = mark("");
const MARK_ONE = mark("AND f.slug = $slug");

/** Sorts marks in the order in which concurrent writers lock the rows. */
export function* markRead(reads: FlagRead[]): Work<void> {
  const sorted = reads.toSorted(
    (a, b) => textOrder(a.environmentKey, b.environmentKey) || textOrder(a.slug ?? "", b.slug ?? ""),
  );
  for (const { environmentKey, slug, at } of sorted) {
    if (slug === null) yield* run(MARK_ALL, { environmentKey, at });
    else yield* run(MARK_ONE, { environmentKey, at, slug });
  }
}

export function* listReads(project: string, environment: string): Work<Map<string, number>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const rows = yield* all<{ slug: string; at: number }>(
    `SELECT f.slug, r.read_at AS at FROM flag_reads r JOIN flags f ON f.id = r.flag_id
     WHERE r.environment_id = $environmentId`,
    { environmentId },
  );
  return new Map(rows.map(({ slug, at }) => [slug, at]));
}
