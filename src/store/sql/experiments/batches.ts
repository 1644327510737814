import type { BatchKey, MeasuredBatch } from "../../../experiments/measurement.ts";
import { bytesOf, textOf } from "../ids.ts";
import { type Work, first, only } from "../work.ts";

/** Counts a batch by `count`, unless its key is known. Returns how many occurrences were accepted; null for other content. */
export function* takeBatch(
  { key, at, accepted, measured }: MeasuredBatch,
  count: (measured: MeasuredBatch["measured"]) => Work<void>,
): Work<number | null> {
  if (key !== null && !(yield* takeKey(key, at, accepted))) {
    const known = yield* only<{ content: Uint8Array; submission: Uint8Array }>(
      "SELECT content, submission FROM idempotency_keys WHERE hash = $hash",
      { hash: bytesOf(key.hash) },
    );
    if (known.content.toHex() !== key.content) return null;
    return Number.parseInt(textOf(known.submission).slice(-12), 16);
  }
  yield* count(measured);
  return accepted;
}

/** Takes a key; false if an earlier batch holds it. Of two batches at a time, the second waits for the first. */
function* takeKey({ hash, content, expiresAt }: BatchKey, now: number, accepted: number): Work<boolean> {
  const taken = yield* first(
    `INSERT INTO idempotency_keys (hash, content, submission, expires_at)
     VALUES ($hash, $content, $answer, $expiresAt)
     ON CONFLICT (hash) DO UPDATE
     SET content = excluded.content, submission = excluded.submission, expires_at = excluded.expires_at
     WHERE idempotency_keys.expires_at <= $now RETURNING hash`,
    { hash: bytesOf(hash), content: bytesOf(content), answer: answerOf(accepted), expiresAt, now },
  );
  return taken !== undefined;
}

/** Keys of batches have, in place of the id of a submission, how many occurrences were accepted. */
function answerOf(accepted: number): Uint8Array {
  return bytesOf(`00000000-0000-0000-0000-${accepted.toString(16).padStart(12, "0")}`);
}
