import type { Database } from "bun:sqlite";
import type { Page } from "../../base/pages.ts";
import { type FeedbackRecord, MOODS, type RatingCount } from "../../flags/feedback.ts";
import { noSuchFlag } from "../../flags/flag.ts";
import type { FeedbackPlace, FeedbackQuery, NewFeedback } from "../../flags/store.ts";
import { findFlagId, selectEnvironment } from "./flags.ts";
import { cutPage } from "../sql/pages.ts";
import { environmentRow, projectRow } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID } from "./submission-rows.ts";

const BEFORE_EVERY_ID = Buffer.alloc(0);

/** Stores a feedback, unless one with the same hash came and has not expired: see the port. */
export function insertFeedback(
  db: Database,
  { projectKey, environmentKey, flag, mood, ...feedback }: NewFeedback,
  { hash, expiresAt }: { hash: string; expiresAt: number },
): string | null {
  const environment = selectEnvironment(db, projectKey, environmentKey);
  const flagId = environment && findFlagId(db, environment.project_id, flag);
  if (flagId === undefined) return null;
  const { id, rating, description, metadata, createdAt } = feedback;
  // A feedback that was deleted since may come again.
  const known = query<{ id: Uint8Array }, [string, number]>(
    db,
    `SELECT f.id FROM recent_feedback r JOIN flag_feedback f ON f.id = r.feedback
     WHERE r.hash = unhex(?1) AND r.expires_at > ?2`,
  ).get(hash, createdAt);
  if (known) return textOf(known.id);
  query(
    db,
    `INSERT INTO flag_feedback (id, environment_id, flag_id, mood, rating, description, metadata, created_at)
       VALUES ($id, $environmentId, $flagId, $mood, $rating, $description, $metadata, $createdAt)`,
  ).run({
    id: bytesOf(id),
    environmentId: environment!.id,
    flagId,
    mood: MOODS.indexOf(mood),
    rating,
    description,
    metadata,
    createdAt,
  });
  query<unknown, [string, Buffer, number]>(
    db,
    "INSERT OR REPLACE INTO recent_feedback (hash, feedback, expires_at) VALUES (unhex(?1), ?2, ?3)",
  ).run(hash, bytesOf(id), expiresAt);
  return id;
}

/** Newest first. Throws `not_found`. */
export function pageFeedback(
  db: Database,
  place: FeedbackPlace,
  { limit, from, before }: FeedbackQuery,
): Page<FeedbackRecord> {
  type Row = {
    id: Uint8Array;
    environment: string;
    mood: number;
    rating: number;
    description: string | null;
    metadata: string | null;
    created_at: number;
  };
  const { flagId, environmentId, inPlace } = resolve(db, place);
  const rows = query<Row, [number, number | null, Uint8Array, Uint8Array, number]>(
    db,
    `SELECT b.id, e.slug AS environment, b.mood, b.rating, b.description, b.metadata, b.created_at
     FROM flag_feedback b CROSS JOIN environments e ON e.id = b.environment_id
     WHERE ${inPlace} AND b.id >= ?3 AND b.id < ?4 ORDER BY b.id DESC LIMIT ?5`,
  ).iterate(
    flagId,
    environmentId,
    from === null ? BEFORE_EVERY_ID : bytesOf(from),
    before === null ? AFTER_EVERY_ID : bytesOf(before),
    limit + 1,
  );
  return cutPage(rows, limit, ({ id, mood, created_at: createdAt, ...row }) => ({
    ...row,
    id: textOf(id),
    flag: place.flag,
    mood: MOODS[mood]!,
    createdAt,
  }));
}

/** Counts the next `limit` by rating and mood. Throws `not_found`. */
export function countFeedback(
  db: Database,
  place: FeedbackPlace,
  after: string | null,
  limit: number,
): { counts: RatingCount[]; next: string | null } {
  const { flagId, environmentId, inPlace } = resolve(db, place);
  const rows = query<
    { rating: number; mood: number; count: number; last: Uint8Array },
    [number, number | null, Uint8Array, number]
  >(
    db,
    `SELECT rating, mood, count(*) AS count, max(id) AS last FROM (
       SELECT b.id, b.rating, b.mood FROM flag_feedback b
       WHERE ${inPlace} AND b.id > ?3 ORDER BY b.id LIMIT ?4
     ) GROUP BY rating, mood`,
  ).all(flagId, environmentId, after === null ? BEFORE_EVERY_ID : bytesOf(after), limit);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const last = rows.map((row) => textOf(row.last)).reduce((a, b) => (a > b ? a : b), "");
  return {
    counts: rows.map(({ rating, mood, count }) => ({ rating, mood: MOODS[mood]!, count })),
    next: total < limit ? null : last,
  };
}

/** Deletes one feedback of a project. Returns whether it existed. Throws `not_found` for the project. */
export function deleteFeedback(db: Database, project: string, id: string): boolean {
  const { id: projectId } = runWork(db, projectRow(project));
  const { changes } = query<unknown, [Buffer, number]>(
    db,
    `DELETE FROM flag_feedback
     WHERE id = ?1 AND flag_id IN (SELECT id FROM flags WHERE project_id = ?2)`,
  ).run(bytesOf(id), projectId);
  return changes > 0;
}

/** Deletes at most `limit`, and returns how many it deleted. Throws `not_found`. */
export function deleteSomeFeedback(db: Database, place: FeedbackPlace, limit: number): number {
  const { flagId, environmentId, inPlace } = resolve(db, place);
  return query<unknown, [number, number | null, number]>(
    db,
    `DELETE FROM flag_feedback WHERE id IN (
       SELECT b.id FROM flag_feedback b WHERE ${inPlace} ORDER BY b.id LIMIT ?3)`,
  ).run(flagId, environmentId, limit).changes;
}

/** The rows of a place, and the condition that selects its feedback with them as the parameters 1 and 2. */
function resolve(db: Database, { project, environment, flag }: FeedbackPlace) {
  const flagId = findFlagId(db, runWork(db, projectRow(project)).id, flag);
  const environmentId = environment === null ? null : runWork(db, environmentRow(project, environment)).id;
  if (flagId === undefined) throw noSuchFlag(flag);
  // Each of the two has an index in the order of ids.
  const inPlace =
    environmentId === null ? "b.flag_id = ?1 AND ?2 IS NULL" : "b.flag_id = ?1 AND b.environment_id = ?2";
  return { flagId, environmentId, inPlace };
}
