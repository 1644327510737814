import { MAX_ATTEMPTS_KEPT } from "../../delivery/limits.ts";
import type { AttemptRecord } from "../../delivery/store.ts";
import { bytesOf } from "./submission-ids.ts";
import { type Work, all, only, run } from "./work.ts";

/**
 * Records an attempt of a delivery, and drops the oldest one past `MAX_ATTEMPTS_KEPT`. The transaction must have changed
 * the delivery, so that no other one numbers an attempt of it at the same time.
 */
export function* recordAttempt(delivery: string, { at, duration, code, error }: AttemptRecord): Work<void> {
  const id = bytesOf(delivery);
  const { number } = yield* only<{ number: number }>(
    `INSERT INTO delivery_attempts (delivery, number, at, duration, code, error)
     VALUES ($id, (SELECT coalesce(max(number), 0) + 1 FROM delivery_attempts WHERE delivery = $id),
             $at, $duration, $code, $error)
     RETURNING number`,
    { id, at, duration, code, error },
  );
  if (number <= MAX_ATTEMPTS_KEPT) return;
  yield* run("DELETE FROM delivery_attempts WHERE delivery = $id AND number <= $last", {
    id,
    last: number - MAX_ATTEMPTS_KEPT,
  });
}

/** The attempts of a delivery, oldest first. */
export function listAttempts(delivery: string): Work<AttemptRecord[]> {
  return all("SELECT at, duration, code, error FROM delivery_attempts WHERE delivery = $id ORDER BY number", {
    id: bytesOf(delivery),
  });
}
