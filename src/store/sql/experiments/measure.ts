import type { Batch, BatchKey, Measured } from "../../../experiments/measure.ts";
import { bytesOf, textOf } from "../ids.ts";
import { type Work, first, only, run } from "../work.ts";

/** See `MeasurementsStore`. */
function* measure({ key, at, ...batch }: Batch): Work<Measured | null> {
  const total = batch.occurrences.length;
  if (key !== null && !(yield* takeKey(key, at))) {
    const known = yield* only<{ content: Uint8Array; submission: Uint8Array }>(
      "SELECT content, submission FROM idempotency_keys WHERE hash = $hash",
      { hash: bytesOf(key.hash) },
    );
    if (known.content.toHex() !== key.content) return null;
    const accepted = Number.parseInt(textOf(known.submission).slice(-12), 16);
    return { accepted, ignored: total - accepted };
  }
  const accepted = yield* countOccurrences(batch);
  if (key !== null)
    yield* run("UPDATE idempotency_keys SET submission = $answer WHERE hash = $hash", {
      hash: bytesOf(key.hash),
      answer: answerOf(accepted),
    });
  return { accepted, ignored: total - accepted };
}

/** Takes a key; false if an earlier batch holds it. Of two batches at a time, the second waits for the first. */
function* takeKey({ hash, content, expiresAt }: BatchKey, now: number): Work<boolean> {
  const taken = yield* first(
    `INSERT INTO idempotency_keys (hash, content, submission, expires_at)
     VALUES ($hash, $content, $answer, $expiresAt)
     ON CONFLICT (hash) DO UPDATE
     SET content = excluded.content, submission = excluded.submission, expires_at = excluded.expires_at
     WHERE idempotency_keys.expires_at <= $now RETURNING hash`,
    { hash: bytesOf(hash), content: bytesOf(content), answer: answerOf(0), expiresAt, now },
  );
  return taken !== undefined;
}

/** Keys of batches have, in place of an id, how many occurrences were accepted. */
function answerOf(accepted: number): Uint8Array {
  return bytesOf(`00000000-0000-0000-0000-${accepted.toString(16).padStart(12, "0")}`);
}

/** Returns how many occurrences something that runs counts: nothing does yet. */
// oxlint-disable-next-line require-yield
function* countOccurrences(_batch: Pick<Batch, "environmentKey" | "occurrences">): Work<number> {
  return 0;
}

export const measurements = { writes: { measure } };
