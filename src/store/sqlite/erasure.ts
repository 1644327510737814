import type { Database } from "bun:sqlite";
import type { Aged, AgedQuery, ScannedSubmission } from "../../forms/store.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { cutPage } from "../sql/pages.ts";
import { query } from "./statements.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID } from "./submission-rows.ts";
import { deleteRows } from "./submissions.ts";

/** Those of a form's submissions in one state that are too old, in a step through their ids. */
export function findAged(
  db: Database,
  { formKey, state, createdBefore, after, below, limit }: AgedQuery,
): { ids: string[]; next: string | null } {
  type Row = { id: Uint8Array; created_at: number };
  const rows = query<Row, [string, number, Buffer, Buffer, number]>(
    db,
    `SELECT id, created_at FROM submissions
     WHERE form_id = (SELECT id FROM forms WHERE key = ?1) AND state = ?2 AND id > ?3 AND id < ?4
     ORDER BY id LIMIT ?5`,
  ).all(
    formKey,
    STATES.indexOf(state),
    bytesOf(after ?? ""),
    below === null ? AFTER_EVERY_ID : bytesOf(below),
    limit,
  );
  return {
    ids: rows.filter((row) => row.created_at < createdBefore).map((row) => textOf(row.id)),
    next: rows.length < limit ? null : textOf(rows.at(-1)!.id),
  };
}

/** Deletes those of a form's submissions that are still in that state and too old. */
export function deleteAged(db: Database, { formKey, state, createdBefore }: Aged, ids: string[]): void {
  const rows = query<{ seq: number }, [string, number, string, number]>(
    db,
    `SELECT seq FROM submissions
     WHERE form_id = (SELECT id FROM forms WHERE key = ?1) AND state = ?2
       AND id IN (SELECT unhex(value, '-') FROM json_each(?3)) AND created_at < ?4`,
  ).all(formKey, STATES.indexOf(state), JSON.stringify(ids), createdBefore);
  deleteRows(
    db,
    rows.map(({ seq }) => seq),
  );
}

/** A step through the submissions of every form in the order in which they were stored. */
export function scanAllSubmissions(
  db: Database,
  after: number,
  limit: number,
): { items: ScannedSubmission[]; next: number | null } {
  type Row = Omit<ScannedSubmission, "id"> & { id: Uint8Array; deleted: number };
  const rows = query<Row, [number, number]>(
    db,
    `SELECT s.seq AS place, s.id, f.slug AS form, f.key AS formKey, f.deleted, s.data,
            (SELECT count(*) FROM files WHERE submission_seq = s.seq) AS files
     FROM submissions s CROSS JOIN forms f ON f.id = s.form_id
     WHERE s.seq > ?1 ORDER BY s.seq LIMIT ?2`,
  ).iterate(after, limit + 1);
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
export function purgeSubmissions(
  db: Database,
  submissions: { place: number; id: string }[],
  replyHashes: string[],
): string[] {
  const find = query<unknown, [number, Buffer]>(db, "SELECT 1 FROM submissions WHERE seq = ?1 AND id = ?2");
  // The place of a submission that was deleted since may belong to another one.
  const found = submissions.filter(({ place, id }) => find.get(place, bytesOf(id)) !== null);
  deleteRows(
    db,
    found.map(({ place }) => place),
  );
  const ids = submissions.map(({ id }) => id);
  query<unknown, [string]>(
    db,
    "DELETE FROM idempotency_keys WHERE submission IN (SELECT unhex(value, '-') FROM json_each(?1))",
  ).run(JSON.stringify(ids));
  query<unknown, [string]>(
    db,
    "DELETE FROM autoreplies WHERE hash IN (SELECT unhex(value) FROM json_each(?1))",
  ).run(JSON.stringify(replyHashes));
  return found.map(({ id }) => id);
}
