import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { textOf } from "./submission-ids.ts";
import { lockSubmissions } from "./submissions.ts";
import { SKIP_LOCKED, type Work, all, first, run } from "./work.ts";

/** What a search index needs to know of submissions that are about to be deleted; `seqs` is a JSON list. */
export type Forget = (seqs: string) => Work<void>;

/** Deletes submissions in some states and records their files as loose. Returns the ids of those deleted. */
export function* deleteSubmissions(
  forget: Forget,
  ids: readonly string[],
  states: readonly SubmissionState[],
): Work<string[]> {
  const known = yield* lockSubmissions(ids);
  const found = [...known].filter(([, { state }]) => states.includes(STATES[state]!));
  yield* deleteRows(
    forget,
    found.map(([, { seq }]) => seq),
  );
  return found.map(([id]) => id);
}

/**
 * Deletes up to `limit` submissions of a deleted form, and the form once it has none. Returns the ids of these submissions;
 * null where no deleted form is left.
 */
export function* clearDeleted(forget: Forget, limit: number): Work<string[] | null> {
  const form = yield* first<{ id: number }>(`SELECT id FROM forms WHERE deleted = 1 LIMIT 1 ${SKIP_LOCKED}`);
  if (!form) return null;
  const sql = "SELECT seq, id FROM submissions WHERE form_id = $id LIMIT $limit";
  const rows = yield* all<{ seq: number; id: Uint8Array }>(sql, { id: form.id, limit });
  yield* deleteRows(
    forget,
    rows.map(({ seq }) => seq),
  );
  if (rows.length < limit) yield* run("DELETE FROM forms WHERE id = $id", { id: form.id });
  return rows.map(({ id }) => textOf(id));
}

/** Deletes submissions, records their files as loose, and their words as to be removed from the search index. */
export function* deleteRows(forget: Forget, seqs: readonly number[]): Work<void> {
  if (seqs.length === 0) return;
  const list = JSON.stringify(seqs);
  yield* forget(list);
  const among = "(SELECT CAST(value AS BIGINT) FROM json_each($list))";
  yield* run(
    `INSERT INTO loose_files (blob_key) SELECT blob_key FROM files WHERE submission_seq IN ${among}
     ON CONFLICT (blob_key) DO NOTHING`,
    { list },
  );
  yield* run(`DELETE FROM submissions WHERE seq IN ${among}`, { list });
}
