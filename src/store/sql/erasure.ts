import type { ScannedSubmission } from "../../forms/inbox/scan.ts";
import type { Aged, AgedQuery } from "../../forms/store.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { allAmong, runAmong } from "./byte-lists.ts";
import { cutPage, pageCut } from "./pages.ts";
import { type Forget, deleteRows } from "./removals.ts";
import { bytesOf, textOf } from "./submission-ids.ts";
import { AFTER_EVERY_ID } from "./submission-rows.ts";
import { FOR_UPDATE, type Work, all } from "./work.ts";

/** Those of a form's submissions in one state that are too old, in a step through their ids. */
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
): Work<number> {
  const rows = yield* allAmong<{ seq: number }>(
    ids.map(bytesOf),
    (list) => `SELECT seq FROM submissions
      WHERE form_id = (SELECT id FROM forms WHERE key = $formKey) AND state = $state
        AND id IN ${list} AND created_at < $createdBefore ORDER BY id ${FOR_UPDATE}`,
    { formKey, state: STATES.indexOf(state), createdBefore },
  );
  yield* deleteRows(
    forget,
    rows.map(({ seq }) => seq),
  );
  return rows.length;
}

/** A step through the submissions of every form in the order in which they were stored. */
export function* scanAllSubmissions(
  after: number,
  limit: number,
): Work<{ items: ScannedSubmission[]; next: number | null }> {
  type Row = Omit<ScannedSubmission, "id"> & { id: Uint8Array; deleted: number };
  const rows = yield* all<Row>(
    `SELECT s.seq AS place, s.id, f.slug AS form, f.key AS "formKey", f.deleted, s.data,
            (SELECT count(*) FROM files WHERE submission_seq = s.seq) AS files
     FROM submissions s CROSS JOIN forms f
     WHERE f.id = s.form_id AND s.seq > $after ORDER BY s.seq LIMIT $limit`,
    { after, limit: limit + 1 },
    pageCut("data"),
  );
  const page = cutPage(rows, limit, (row) => row);
  const kept = page.items.filter((row) => row.deleted === 0);
  return {
    items: kept.map(({ place, id, form, formKey, data, files }) => ({
      place,
      id: textOf(id),
      form,
      formKey,
      data,
      files,
    })),
    next: page.more ? page.items.at(-1)!.place : null,
  };
}

/** Deletes submissions, their idempotency keys, and the marks of automatic replies. Returns the ids of those that existed. */
export function* purgeSubmissions(
  forget: Forget,
  submissions: readonly { place: number; id: string }[],
  replyHashes: readonly string[],
): Work<string[]> {
  const rows = yield* all<{ seq: number; id: Uint8Array }>(
    `SELECT seq, id FROM submissions WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each($places))
     ORDER BY seq ${FOR_UPDATE}`,
    { places: JSON.stringify(submissions.map(({ place }) => place)) },
  );
  const ids = new Map(rows.map(({ seq, id }) => [seq, textOf(id)]));
  // The place of a submission that was deleted since may belong to another one.
  const found = submissions.filter(({ place, id }) => ids.get(place) === id);
  yield* deleteRows(
    forget,
    found.map(({ place }) => place),
  );
  yield* runAmong(
    submissions.map(({ id }) => bytesOf(id)),
    (list) => `DELETE FROM idempotency_keys WHERE submission IN ${list}`,
  );
  yield* runAmong(replyHashes.map(bytesOf), (list) => `DELETE FROM autoreplies WHERE hash IN ${list}`);
  return found.map(({ id }) => id);
}
