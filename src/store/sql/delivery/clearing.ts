import { DELIVERY_STATUSES as STATUSES } from "../../../delivery/delivery-status.ts";
import { SUBMISSION_STATES as STATES } from "../../../forms/submission-state.ts";
import { SKIP_LOCKED, type Work, run } from "../work.ts";
import { CANCELLED, QUEUED } from "./deliveries.ts";

const SPAM = STATES.indexOf("spam");

/**
 * Removes at most `limit` ended deliveries that are due. Returns whether more may be left. A cancelled delivery of a
 * spam submission is kept until `later`, because it is queued again when the submission leaves the spam folder.
 */
export function* clearEnded(now: number, later: number, limit: number): Work<boolean> {
  const kept = yield* run(
    `UPDATE deliveries SET due_at = $later WHERE id IN (
       SELECT d.id FROM deliveries d WHERE d.status = ${CANCELLED} AND d.due_at <= $now AND EXISTS (
         SELECT 1 FROM submissions s WHERE s.seq = d.submission_seq AND s.state = ${SPAM})
       LIMIT $limit ${SKIP_LOCKED})`,
    { now, later, limit },
  );
  if (kept >= limit) return true;
  let isLeft = false;
  for (const status of STATUSES.keys()) {
    if (status === QUEUED) continue;
    const removed = yield* run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries WHERE status = ${status} AND status <> 0 AND due_at <= $now
         LIMIT $limit ${SKIP_LOCKED})`,
      { now, limit },
    );
    if (removed >= limit) isLeft = true;
  }
  return isLeft;
}
