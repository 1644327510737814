import type { Shared } from "../../forms/shared.ts";
import { type Work, first, only, run } from "../sql/work.ts";
import type { Units } from "./run.ts";

/** State that replicas share for minutes. Each method is one statement, without a transaction around it. */
export function createShared({ single }: Pick<Units, "single">): Shared {
  return {
    count: (hash, now, windowMs) =>
      single(() =>
        only<{ count: number; endsAt: number }>(
          `INSERT INTO rate_counts (hash, count, expires_at) VALUES ($hash, 1, $endsAt)
           ON CONFLICT (hash) DO UPDATE SET
             count = CASE WHEN rate_counts.expires_at <= $now THEN 1 ELSE rate_counts.count + 1 END,
             expires_at = CASE WHEN rate_counts.expires_at <= $now THEN excluded.expires_at
                          ELSE rate_counts.expires_at END
           RETURNING count, expires_at AS "endsAt"`,
          { hash: Buffer.from(hash, "hex"), now, endsAt: now + windowMs },
        ),
      ),
    keep: (hash, text, expiresAt) =>
      single(function* () {
        yield* run(
          `INSERT INTO kept_texts (hash, text, expires_at) VALUES ($hash, $text, $expiresAt)
           ON CONFLICT (hash) DO UPDATE SET text = excluded.text, expires_at = excluded.expires_at`,
          { hash: Buffer.from(hash, "hex"), text, expiresAt },
        );
      }),
    take: (hash, now) => single(() => takeText(hash, now)),
  };
}

function* takeText(hash: string, now: number): Work<string | undefined> {
  const found = yield* first<{ text: string; expires_at: number }>(
    "DELETE FROM kept_texts WHERE hash = $hash RETURNING text, expires_at",
    { hash: Buffer.from(hash, "hex") },
  );
  return found && found.expires_at > now ? found.text : undefined;
}

/** Removes at most `limit` rows of each kind that have expired. Returns whether any may be left. */
export function* clearShared(now: number, limit: number): Work<boolean> {
  let isLeft = false;
  for (const table of ["rate_counts", "kept_texts"]) {
    const removed = yield* run(
      `DELETE FROM ${table} WHERE hash IN
         (SELECT hash FROM ${table} WHERE expires_at <= $now LIMIT $limit FOR UPDATE SKIP LOCKED)`,
      { now, limit },
    );
    if (removed >= limit) isLeft = true;
  }
  return isLeft;
}
