import type { Page } from "../../base/pages.ts";
import { type FeedbackRecord, MOODS, type RatingCount } from "../../flags/previews/feedback.ts";
import { noSuchFlag } from "../../flags/flag.ts";
import type { FeedbackPlace, FeedbackQuery, NewFeedback } from "../../flags/store.ts";
import { findFlagId } from "./flags.ts";
import { selectEnvironment } from "./selections.ts";
import { pageCut, pageOf } from "./pages.ts";
import { environmentRow, projectRow } from "./rows.ts";
import { bytesOf, textOf } from "./ids.ts";
import { type Params, type Work, all, fieldsOf, first, insert, only, run } from "./work.ts";

const BEFORE_EVERY_ID = Buffer.alloc(0);

/** Sorts after every id, which has 16 bytes. */
const AFTER_EVERY_ID = Buffer.alloc(17, 0xff);

/** Stores a feedback, unless one with the same hash came and has not expired: see the port. */
function* insertFeedback(
  { projectKey, environmentKey, flag, mood, ...feedback }: NewFeedback,
  recent: { hash: string; expiresAt: number },
): Work<string | null> {
  const environment = yield* selectEnvironment(environmentKey);
  if (environment?.project_key !== projectKey) return null;
  const flagId = yield* findFlagId(environment.project_id, flag);
  if (flagId === undefined) return null;
  const { rating, description, metadata, createdAt } = feedback;
  const id = bytesOf(feedback.id);
  const known = yield* rememberFeedback(id, Buffer.from(recent.hash, "hex"), recent.expiresAt, createdAt);
  if (known) return textOf(known);
  const place = { id, environmentId: environment.id, flagId, mood: MOODS.indexOf(mood) };
  yield* insert("flag_feedback", { ...place, rating, description, metadata, createdAt });
  return feedback.id;
}

/**
 * Stores the hash of a feedback. Returns the id of another one that came with that hash, has not expired and was not deleted
 * since. Inserting or updating the hash makes a concurrent writer wait, who finds the id then.
 */
function* rememberFeedback(
  id: Uint8Array,
  hash: Uint8Array,
  expiresAt: number,
  now: number,
): Work<Uint8Array | undefined> {
  const found = yield* only<{ feedback: Uint8Array; expires_at: number }>(
    `INSERT INTO recent_feedback (hash, feedback, expires_at) VALUES ($hash, $id, $expiresAt)
     ON CONFLICT (hash) DO UPDATE SET expires_at = recent_feedback.expires_at
     RETURNING feedback, expires_at`,
    { hash, id, expiresAt },
  );
  if (Buffer.from(id).equals(found.feedback)) return undefined;
  if (found.expires_at > now) {
    const stored = yield* first("SELECT 1 FROM flag_feedback WHERE id = $id", { id: found.feedback });
    if (stored) return found.feedback;
  }
  yield* run("UPDATE recent_feedback SET feedback = $id, expires_at = $expiresAt WHERE hash = $hash", {
    hash,
    id,
    expiresAt,
  });
  return undefined;
}

/** Newest first. Throws `not_found`. */
function* pageFeedback(
  place: FeedbackPlace,
  { limit, from, before }: FeedbackQuery,
): Work<Page<FeedbackRecord>> {
  type Row = Omit<FeedbackRecord, "id" | "mood" | "flag"> & { id: Uint8Array; mood: number };
  const { inPlace, values } = yield* resolve(place);
  const rows = all<Row>(
    `SELECT e.slug AS environment, ${fieldsOf("b", "id mood rating description metadata createdAt")}
     FROM flag_feedback b CROSS JOIN environments e
     WHERE ${inPlace} AND e.id = b.environment_id AND b.id >= $from AND b.id < $before
     ORDER BY b.id DESC LIMIT $limit`,
    {
      ...values,
      from: from === null ? BEFORE_EVERY_ID : bytesOf(from),
      before: before === null ? AFTER_EVERY_ID : bytesOf(before),
      limit: limit + 1,
    },
    pageCut("description", "metadata"),
  );
  return yield* pageOf(rows, limit, ({ id, mood, ...row }) => ({
    ...row,
    id: textOf(id),
    flag: place.flag,
    mood: MOODS[mood]!,
  }));
}

/** Counts the next `limit` by rating and mood. Throws `not_found`. */
function* countFeedback(
  place: FeedbackPlace,
  after: string | null,
  limit: number,
): Work<{ counts: RatingCount[]; next: string | null }> {
  const { inPlace, values } = yield* resolve(place);
  const next = { ...values, after: after === null ? BEFORE_EVERY_ID : bytesOf(after) };
  const rows = yield* all<{ rating: number; mood: number; count: number }>(
    `SELECT rating, mood, count(*) AS count FROM (
       SELECT b.rating, b.mood FROM flag_feedback b
       WHERE ${inPlace} AND b.id > $after ORDER BY b.id LIMIT $limit
     ) AS newest GROUP BY rating, mood`,
    { ...next, limit },
  );
  const last = yield* first<{ id: Uint8Array }>(
    `SELECT b.id FROM flag_feedback b WHERE ${inPlace} AND b.id > $after ORDER BY b.id LIMIT 1 OFFSET $before`,
    { ...next, before: limit - 1 },
  );
  return {
    counts: rows.map(({ rating, mood, count }) => ({ rating, mood: MOODS[mood]!, count })),
    next: last ? textOf(last.id) : null,
  };
}

/** Deletes one feedback of a project. Returns whether it existed. Throws `not_found` for the project. */
function* deleteFeedback(project: string, id: string): Work<boolean> {
  const { id: projectId } = yield* projectRow(project);
  const changes = yield* run(
    `DELETE FROM flag_feedback
     WHERE id = $id AND flag_id IN (SELECT id FROM flags WHERE project_id = $projectId)`,
    { id: bytesOf(id), projectId },
  );
  return changes > 0;
}

/** Deletes at most `limit`, and returns how many it deleted. Throws `not_found`. */
function* deleteSomeFeedback(place: FeedbackPlace, limit: number): Work<number> {
  const { inPlace, values } = yield* resolve(place);
  return yield* run(
    `DELETE FROM flag_feedback WHERE id IN (
       SELECT b.id FROM flag_feedback b WHERE ${inPlace} ORDER BY b.id LIMIT $limit)`,
    { ...values, limit },
  );
}

/** The condition that selects the feedback of a place, for which there is an index in the order of ids. */
function* resolve({ project, environment, flag }: FeedbackPlace): Work<{ inPlace: string; values: Params }> {
  const flagId = yield* findFlagId((yield* projectRow(project)).id, flag);
  const environmentId = environment === null ? null : (yield* environmentRow(project, environment)).id;
  if (flagId === undefined) throw noSuchFlag(flag);
  if (environmentId === null) return { inPlace: "b.flag_id = $flagId", values: { flagId } };
  return {
    inPlace: "b.flag_id = $flagId AND b.environment_id = $environmentId",
    values: { flagId, environmentId },
  };
}

export const feedback = {
  reads: { page: pageFeedback },
  readsAtOnce: { count: countFeedback },
  writes: { insert: insertFeedback, delete: deleteFeedback, deleteSome: deleteSomeFeedback },
};
