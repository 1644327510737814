import type { ReplyHold } from "../../../delivery/store.ts";
import { bytesOf, bytesOfHash } from "../ids.ts";
import { FOR_UPDATE_OF_S, type Work, first, run } from "../work.ts";
import { QUEUED } from "./deliveries.ts";

/**
 * Records that a mailbox gets an automatic reply until a time, unless it gets another one. Returns what {@link ReplyHold} says. Waits
 * for a purge of the submission, which would leave what is recorded meanwhile.
 */
export function* holdReply(hash: string, delivery: string, now: number, until: number): Work<ReplyHold> {
  const changes = yield* run(
    `INSERT INTO autoreplies (hash, form_id, expires_at, delivery)
     SELECT $key, s.form_id, CAST($until AS BIGINT), d.id
     FROM deliveries d JOIN submissions s ON s.seq = d.submission_seq WHERE d.id = $delivery ${FOR_UPDATE_OF_S}
     ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at, delivery = excluded.delivery
     WHERE autoreplies.expires_at <= $now OR autoreplies.delivery = excluded.delivery`,
    { key: bytesOfHash(hash), delivery: bytesOf(delivery), now, until },
  );
  if (changes > 0) return "held";
  const other = yield* first(
    `SELECT 1 FROM autoreplies a JOIN deliveries d ON d.id = a.delivery
     WHERE a.hash = $key AND d.status = ${QUEUED}`,
    { key: bytesOfHash(hash) },
  );
  return other ? "pending" : "sent";
}

/** Takes back what {@link holdReply} recorded for a delivery. */
export function* releaseReply(hash: string, delivery: string): Work<void> {
  yield* run("DELETE FROM autoreplies WHERE hash = $key AND delivery = $delivery", {
    key: bytesOfHash(hash),
    delivery: bytesOf(delivery),
  });
}
