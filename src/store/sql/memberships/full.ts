import { clock } from "../../../base/clock.ts";
import { noticeOf } from "../delivery/flag-notices.ts";
import { listeningTargets, queueNotices } from "../delivery/notices.ts";
import { lockAudit } from "../audit.ts";
import { type Work, first } from "../work.ts";

/** Tells the targets of its project that a segment has become full. */
export function* noticeFull(environmentId: number, segment: string): Work<void> {
  const about = yield* first<{
    projectId: number;
    project: string;
    environment: string;
    revision: number;
  }>(
    `SELECT p.id AS "projectId", p.slug AS project, e.slug AS environment, s.revision
     FROM segments s JOIN environments e ON e.id = s.environment_id JOIN projects p ON p.id = e.project_id
     WHERE s.environment_id = $environmentId AND s.name = $segment`,
    { environmentId, segment },
  );
  if (!about) return;
  const targets = yield* listeningTargets(about.projectId);
  if (targets.length === 0) return;
  // Digests are open for one transaction at a time.
  yield* lockAudit();
  const now = clock.now();
  const notice = noticeOf("segment.full", { ...about, slug: segment, changes: [] }, now, now);
  yield* queueNotices(about.projectId, targets, [notice]);
}
