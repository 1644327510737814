import { type NewAuditEntry, entryOf } from "../../../access/audit/entry.ts";
import type { Author } from "../../../access/caller.ts";
import { appendAudit, lockAudit, projectAt } from "../audit.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import { textOf, bytesOf } from "../ids.ts";
import { lockSubmissions } from "./submissions.ts";
import { SKIP_LOCKED, type Work, all, first, run, FOR_UPDATE } from "../work.ts";
import type { ScannedSubmission } from "../../../forms/inbox/scan.ts";
import type { Aged, AgedQuery } from "../../../forms/store.ts";
import { allAmong, runAmong } from "../lists.ts";
import { emptySegments } from "../memberships/members.ts";
import { PROJECT_OF_FORM } from "../rows.ts";
import { cutPage, pageCut } from "../pages.ts";
import type * as Learning from "./learning.ts";
import { takeStored } from "./quota.ts";
import { AFTER_EVERY_ID } from "./submissions.ts";

/** Removes submissions that are about to be deleted from a search index; `seqs` is a JSON list. */
export type Forget = (seqs: string) => Work<void>;

/** Deletes submissions in some states and records their files as loose. Returns the ids of those deleted. */
export function* deleteSubmissions(
  forget: Forget,
  ids: readonly string[],
  states: readonly SubmissionState[],
  by: Author | null,
): Work<string[]> {
  yield* lockFor(by);
  const known = yield* lockSubmissions(ids);
  const found = [...known].filter(([, { state }]) => states.includes(STATES[state]!));
  const seqs = found.map(([, { seq }]) => seq);
  yield* recordRemovals("submissions.delete", seqs, by);
  yield* deleteRows(forget, seqs);
  return found.map(([id]) => id);
}

/**
 * Deletes up to `limit` submissions of a deleted form, and the form once it has none. Returns the ids of these submissions;
 * null if no deleted form is left.
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

/**
 * Locks the log for a removal that is recorded, before anything else: until it ends, no form moves and none is deleted, and
 * nothing waits in a circle with a change of the setup.
 */
function* lockFor(by: Author | null): Work<void> {
  if (by !== null) yield* lockAudit();
}

/** Records for each form of which submissions are about to be removed how many these are. The log is locked. */
function* recordRemovals(
  action: "submissions.delete" | "submissions.purge",
  seqs: readonly number[],
  by: Author | null,
): Work<void> {
  if (by === null || seqs.length === 0) return;
  // A form that is deleted has no name any more, nor a project.
  const forms = yield* all<{ slug: string | null; key: string | null; count: number }>(
    `SELECT CASE WHEN f.deleted = 0 THEN f.slug END AS slug, CASE WHEN f.deleted = 0 THEN f.key END AS key, count(*) AS count
     FROM submissions s JOIN forms f ON f.id = s.form_id
     WHERE s.seq IN (SELECT CAST(value AS BIGINT) FROM json_each($list)) GROUP BY 1, 2 ORDER BY max(f.deleted), 1, 2`,
    { list: JSON.stringify(seqs) },
  );
  const entries: NewAuditEntry[] = [];
  for (const { slug, key, count } of forms) {
    const project = key === null ? null : yield* projectAt({ form: key });
    entries.push(entryOf({ action, project, object: slug, details: { count } }, by));
  }
  yield* appendAudit(entries);
}

/** Deletes submissions, records their files as loose, and their words as to be removed from the search index. */
export function* deleteRows(forget: Forget, seqs: readonly number[]): Work<void> {
  if (seqs.length === 0) return;
  const list = JSON.stringify(seqs);
  yield* forget(list);
  yield* takeStored(list);
  yield* emptySegments(seqs);
  const among = "(SELECT CAST(value AS BIGINT) FROM json_each($list))";
  yield* run(
    `INSERT INTO loose_files (blob_key) SELECT blob_key FROM files WHERE submission_seq IN ${among}
     ON CONFLICT (blob_key) DO NOTHING`,
    { list },
  );
  yield* run(`DELETE FROM submissions WHERE seq IN ${among}`, { list });
}

/** Submissions of a form in one state that are too old, in a step through their ids. */
export function* findAged({
  formKey,
  state,
  createdBefore,
  after,
  below,
  limit,
}: AgedQuery): Work<{ ids: string[]; next: string | null }> {
  type Row = { id: Uint8Array; created_at: number };
  const rows = yield* all<Row>(
    `SELECT id, created_at FROM submissions
     WHERE form_id = (SELECT id FROM forms WHERE key = $formKey) AND state = $state AND id > $after AND id < $below
     ORDER BY id LIMIT $limit`,
    {
      formKey,
      state: STATES.indexOf(state),
      after: bytesOf(after ?? ""),
      below: below === null ? AFTER_EVERY_ID : bytesOf(below),
      limit,
    },
  );
  return {
    ids: rows.filter((row) => row.created_at < createdBefore).map((row) => textOf(row.id)),
    next: rows.length < limit ? null : textOf(rows.at(-1)!.id),
  };
}

/** Deletes those of a form's submissions that are still in that state and too old. Returns how many. */
export function* deleteAged(
  forget: Forget,
  { formKey, state, createdBefore }: Aged,
  ids: readonly string[],
  by: Author | null,
): Work<number> {
  yield* lockFor(by);
  const rows = yield* allAmong<{ seq: number }>(
    ids.map(bytesOf),
    (list) => `SELECT seq FROM submissions
      WHERE form_id = (SELECT id FROM forms WHERE key = $formKey) AND state = $state
        AND id IN ${list} AND created_at < $createdBefore ORDER BY id ${FOR_UPDATE}`,
    { formKey, state: STATES.indexOf(state), createdBefore },
  );
  const seqs = rows.map(({ seq }) => seq);
  yield* recordRemovals("submissions.delete", seqs, by);
  yield* deleteRows(forget, seqs);
  return rows.length;
}

/** A step through the submissions of every form in the order in which they were stored. */
export function* scanAllSubmissions(
  after: number,
  limit: number,
): Work<{ items: ScannedSubmission[]; next: number | null }> {
  type Row = Omit<ScannedSubmission, "id"> & { id: Uint8Array; deleted: number };
  const rows = yield* all<Row>(
    `SELECT s.seq AS place, s.id, ${PROJECT_OF_FORM} AS project, f.slug AS form, f.key AS "formKey", f.deleted, s.data,
            (SELECT count(*) FROM files WHERE submission_seq = s.seq) AS files
     FROM submissions s CROSS JOIN forms f
     WHERE f.id = s.form_id AND s.seq > $after ORDER BY s.seq LIMIT $limit`,
    { after, limit: limit + 1 },
    pageCut("data"),
  );
  const page = cutPage(rows, limit, (row) => row);
  const kept = page.items.filter((row) => row.deleted === 0);
  return {
    items: kept.map(({ place, id, project, form, formKey, data, files }) => ({
      place,
      id: textOf(id),
      project,
      form,
      formKey,
      data,
      files,
    })),
    next: page.more ? page.items.at(-1)!.place : null,
  };
}

/** Deletes submissions, what filters learned from them, their idempotency keys, and the marks of automatic replies. Returns the ids that existed. */
export function* purgeSubmissions(
  forget: Forget,
  submissions: readonly { place: number; id: string }[],
  replyHashes: readonly string[],
  by: Author | null,
): Work<string[]> {
  yield* lockFor(by);
  const rows = yield* all<{ seq: number; id: Uint8Array }>(
    `SELECT seq, id FROM submissions WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each($places))
     ORDER BY seq ${FOR_UPDATE}`,
    { places: JSON.stringify(submissions.map(({ place }) => place)) },
  );
  const ids = new Map(rows.map(({ seq, id }) => [seq, textOf(id)]));
  // The place of a submission that was deleted since may belong to another one.
  const found = submissions.filter(({ place, id }) => ids.get(place) === id);
  const seqs = found.map(({ place }) => place);
  yield* recordRemovals("submissions.purge", seqs, by);
  yield* deleteRows(forget, seqs);
  yield* runAmong(
    submissions.map(({ id }) => bytesOf(id)),
    (list) => `DELETE FROM idempotency_keys WHERE submission IN ${list}`,
  );
  const { forgetExamples } = require("./learning.ts") as typeof Learning;
  yield* forgetExamples(submissions.map(({ id }) => id));
  yield* runAmong(replyHashes.map(bytesOf), (list) => `DELETE FROM autoreplies WHERE hash IN ${list}`);
  yield* runAmong(replyHashes.map(bytesOf), (list) => `DELETE FROM confirmations WHERE hash IN ${list}`);
  return found.map(({ id }) => id);
}
