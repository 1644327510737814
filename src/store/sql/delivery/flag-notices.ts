import { isoTime } from "../../../base/clock.ts";
import { type FieldChange, noticeText } from "../../../delivery/notices/change-notice.ts";
import type { StoredNotice } from "../../../delivery/notices/fan-out.ts";
import type { NoticeType } from "../../../delivery/notices/notice-types.ts";
import type { StaleSince } from "../../../flags/store.ts";
import { lockAudit } from "../audit.ts";
import { listeningTargets, queueNotices } from "./notices.ts";
import { findProjectRow } from "../rows.ts";
import { type Work, all, only, run } from "../work.ts";

/** The author of notices without a change. */
const WHO = "formflag";

/** As the index of flags that expire has it. */
const UNNOTICED = "expires_at IS NOT NULL AND (noticed_expiry IS NULL OR noticed_expiry <> expires_at)";

function* nextExpiry(): Work<number | null> {
  return (yield* only<{ at: number | null }>(
    `SELECT min(expires_at) AS at FROM flag_values WHERE ${UNNOTICED}`,
  )).at;
}

type Expired = {
  environmentId: number;
  flagId: number;
  projectId: number;
  project: string;
  environment: string;
  slug: string;
  enabled: number;
  expiresAt: number;
  revision: number;
};

function* expire(now: number, limit: number): Work<{ projects: string[]; isLeft: boolean }> {
  // Digests are open for one transaction at a time.
  yield* lockAudit();
  const rows = yield* all<Expired>(
    `SELECT v.environment_id AS "environmentId", v.flag_id AS "flagId", p.id AS "projectId", p.slug AS project,
       e.slug AS environment, f.slug, v.enabled, v.expires_at AS "expiresAt",
       CASE WHEN v.revision > f.revision THEN v.revision ELSE f.revision END AS revision
     FROM (SELECT environment_id, flag_id, enabled, expires_at, revision FROM flag_values
           WHERE ${UNNOTICED} AND expires_at <= $now ORDER BY expires_at LIMIT $limit) v
     JOIN flags f ON f.id = v.flag_id JOIN environments e ON e.id = v.environment_id
     JOIN projects p ON p.id = e.project_id ORDER BY v.expires_at, f.slug, e.slug`,
    { now, limit },
  );
  for (const { environmentId, flagId, expiresAt } of rows)
    yield* run(
      `UPDATE flag_values SET noticed_expiry = $expiresAt
       WHERE environment_id = $environmentId AND flag_id = $flagId AND expires_at = $expiresAt`,
      { environmentId, flagId, expiresAt },
    );
  for (const [projectId, some] of Map.groupBy(rows, (row) => row.projectId)) {
    const targets = yield* listeningTargets(projectId);
    const notices = some.map(({ project, environment, slug, enabled, expiresAt, revision }) => {
      const changes = enabled === 1 ? [{ field: "enabled", before: true, after: false }] : [];
      return noticeOf(
        "flag.expired",
        { project, environment, slug, revision, changes },
        expiresAt,
        expiresAt,
      );
    });
    yield* queueNotices(projectId, targets, notices);
  }
  return { projects: [...new Set(rows.map(({ project }) => project))], isLeft: rows.length >= limit };
}

type About = {
  project: string;
  environment: string | null;
  slug: string;
  revision: number;
  changes: FieldChange[];
};

/** A notice of what happened by itself, at `happenedAt`. */
export function noticeOf(
  type: NoticeType,
  { project, environment, slug, revision, changes }: About,
  at: number,
  happenedAt: number,
): StoredNotice {
  const noticed = { type, project, environment, name: slug, changes, members: {} };
  const body = noticeText(noticed, { revision, at: isoTime(at), who: WHO, why: null });
  return { type, environment, at, revision, body, happenedAt };
}

function* listening(): Work<string[]> {
  const rows = yield* all<{ slug: string }>(
    `SELECT slug FROM projects p WHERE EXISTS (
       SELECT 1 FROM targets t WHERE t.project_id = p.id AND t.enabled = 1) ORDER BY slug`,
  );
  return rows.map(({ slug }) => slug);
}

/** The notices of flags that look finished, each with the table of the flags of which it was given. */
const FINISHED = {
  stale: { type: "flag.stale", table: "noticed_stale" },
  removable: { type: "flag.removable", table: "noticed_removable" },
} as const;

function* mark(
  what: keyof typeof FINISHED,
  project: string,
  finished: readonly StaleSince[],
  now: number,
): Work<number> {
  const { type, table } = FINISHED[what];
  yield* lockAudit();
  const projectId = (yield* findProjectRow(project))?.id;
  if (projectId === undefined) return 0;
  const flags = yield* all<{ id: number; slug: string; revision: number; noticed: number | null }>(
    `SELECT f.id, f.slug, f.revision, n.since AS noticed FROM flags f LEFT JOIN ${table} n ON n.flag_id = f.id
     WHERE f.project_id = $projectId ORDER BY f.slug`,
    { projectId },
  );
  const bySlug = new Map(finished.map((each) => [each.slug, each]));
  const notices: StoredNotice[] = [];
  for (const { id, slug, revision, noticed } of flags) {
    const found = bySlug.get(slug);
    if (!found && noticed !== null) yield* run(`DELETE FROM ${table} WHERE flag_id = $id`, { id });
    if (!found || noticed !== null) continue;
    yield* run(`INSERT INTO ${table} (flag_id, since) VALUES ($id, $since)`, { id, since: found.since });
    const about = { project, environment: null, slug, revision, changes: [] };
    notices.push(noticeOf(type, about, now, found.from));
  }
  if (notices.length > 0) yield* queueNotices(projectId, yield* listeningTargets(projectId), notices);
  return notices.length;
}

export const flagNotices = { reads: { nextExpiry, listening }, writes: { expire, mark } };
