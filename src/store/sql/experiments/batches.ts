import type { BatchKey, MeasuredBatch } from "../../../experiments/measurement.ts";
import { bytesOf, textOf } from "../ids.ts";
import { type Work, first, only } from "../work.ts";

/** How many occurrences of a batch were accepted, null for other content than its key had, and what is still to be counted. */
type Taken = { accepted: number | null; isRepeat: boolean; measured: MeasuredBatch["measured"] };

/** Takes a batch, of which nothing is to be counted if its key is known. */
export function* takeBatch({ key, at, accepted, measured }: MeasuredBatch): Work<Taken> {
  if (key === null || (yield* takeKey(key, at, accepted))) return { accepted, isRepeat: false, measured };
  const known = yield* only<{ content: Uint8Array; submission: Uint8Array }>(
    "SELECT content, submission FROM idempotency_keys WHERE hash = $hash",
    { hash: bytesOf(key.hash) },
  );
  const isSame = known.content.toHex() === key.content;
  const before = isSame ? Number.parseInt(textOf(known.submission).slice(-12), 16) : null;
  return { accepted: before, isRepeat: true, measured: [] };
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
