import { type Database, SQLiteError } from "bun:sqlite";
import { noSuchForm } from "../../forms/form.ts";
import type { NewDelivery } from "../../delivery/store.ts";
import type { Conditions, Insertion, StoredSubmission } from "../../forms/store.ts";
import type { StoredFile, Submission, SubmissionPage } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { insertDeliveries } from "./deliveries.ts";
import { decide, leaveMarks } from "./intake.ts";
import { cutPage } from "../sql/pages.ts";
import { queueRemovals } from "./search-index.ts";
import { query } from "./statements.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID, COLUMNS, type SubmissionRow, viewSubmission } from "./submission-rows.ts";

/** Joins the one submission with an id to its form: the index of submissions begins with form and state. */
export const BY_ID = `FROM forms f CROSS JOIN submissions s
  ON s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0`;

/**
 * Inserts a submission as its conditions allow; without conditions, into the inbox. Returns undefined for a submission that
 * is now in the inbox. The parameters are not an object, which takes twice as long to send to a thread:
 * `npm run bench -- submissions`.
 */
export function insertSubmission(
  db: Database,
  id: string,
  formKey: string,
  data: string,
  createdAt: number,
  files: StoredSubmission["files"],
  conditions: Conditions | null,
  deliveries: readonly NewDelivery[],
  meta: string | null,
): Insertion | undefined {
  const decision = conditions && decide(db, formKey, createdAt, conditions);
  if (decision && decision.kind !== "stored") return decision;
  const spam = decision?.spam ?? null;
  const seq = insertRow(db, id, formKey, data, createdAt, spam, meta);
  for (const [index, { key, ...file }] of files.entries()) {
    query(
      db,
      `INSERT INTO files (submission_seq, position, field, name, type, size, sha256, blob_key)
       VALUES ($seq, $position, $field, $name, $type, $size, $sha256, $key)`,
    ).run({ seq, position: index + 1, key, ...file });
  }
  if (conditions) leaveMarks(db, id, spam, conditions);
  if (spam === null) insertDeliveries(db, seq, deliveries, createdAt);
  return spam === null ? undefined : decision!;
}

/** Returns the `seq` of the row. Throws `not_found` for the form. */
function insertRow(
  db: Database,
  id: string,
  formKey: string,
  data: string,
  createdAt: number,
  spam: string | null,
  meta: string | null,
): number {
  try {
    // A third faster than INSERT … SELECT … FROM forms.
    const { lastInsertRowid } = query<
      unknown,
      [string, string, number, string, number, string | null, string | null]
    >(
      db,
      `INSERT INTO submissions (id, form_id, data, created_at, state, spam, unread, meta)
       VALUES (unhex(?1, '-'), (SELECT id FROM forms WHERE key = ?4), ?2, ?3, ?5, ?6, 1, ?7)`,
    ).run(
      id,
      data,
      createdAt,
      formKey,
      spam === null ? STATES.indexOf("inbox") : STATES.indexOf("spam"),
      spam,
      meta,
    );
    return Number(lastInsertRowid);
  } catch (error) {
    if (error instanceof SQLiteError && error.code === "SQLITE_CONSTRAINT_NOTNULL") throw noSuchForm(formKey);
    throw error;
  }
}

export function listSubmissions(
  db: Database,
  formKey: string,
  limit: number,
  before: string | null,
  states: readonly SubmissionState[] = STATES,
): SubmissionPage {
  const form = query<{ id: number }, { formKey: string }>(
    db,
    "SELECT id FROM forms WHERE key = $formKey",
  ).get({ formKey });
  if (!form) throw noSuchForm(formKey);
  // The index has an order in each state; SQLite merges these.
  const folders = states.map(
    (state) => `SELECT ${COLUMNS} FROM submissions s JOIN forms f ON f.id = s.form_id
               WHERE s.form_id = $formId AND s.state = ${STATES.indexOf(state)} AND s.id < $before`,
  );
  const sql = `${folders.join("\nUNION ALL\n")} ORDER BY 1 DESC LIMIT $limit`;
  const rows = query<SubmissionRow, { formId: number; before: Buffer; limit: number }>(db, sql).iterate({
    formId: form.id,
    before: before === null ? AFTER_EVERY_ID : bytesOf(before),
    limit: limit + 1,
  });
  const { items: submissions, more } = cutPage(rows, limit, viewSubmission);
  return { submissions, more };
}

export function findSubmission(db: Database, id: string): Submission | undefined {
  const row = query<SubmissionRow, { id: Buffer }>(db, `SELECT ${COLUMNS} ${BY_ID}`).get({ id: bytesOf(id) });
  return row ? viewSubmission(row) : undefined;
}

/** Deletes submissions in some states and records their files as loose. Returns the ids of those deleted. */
export function deleteSubmissions(
  db: Database,
  ids: readonly string[],
  states: readonly SubmissionState[],
): string[] {
  const find = query<{ seq: number; state: number }, { id: Buffer }>(db, `SELECT s.seq, s.state ${BY_ID}`);
  const found = [...new Set(ids)].flatMap((id) => {
    const row = find.get({ id: bytesOf(id) });
    return row && states.includes(STATES[row.state]!) ? [{ id, seq: row.seq }] : [];
  });
  deleteRows(
    db,
    found.map(({ seq }) => seq),
  );
  return found.map(({ id }) => id);
}

/** Deletes up to `limit` submissions of a deleted form, and the form once it has none. Returns whether any may be left. */
export function clearDeleted(db: Database, limit: number): boolean {
  const form = query<{ id: number }, []>(db, "SELECT id FROM forms WHERE deleted = 1 LIMIT 1").get();
  if (!form) return false;
  const sql = "SELECT seq FROM submissions WHERE form_id = $id LIMIT $limit";
  const rows = query<{ seq: number }, { id: number; limit: number }>(db, sql).all({ id: form.id, limit });
  deleteRows(
    db,
    rows.map(({ seq }) => seq),
  );
  if (rows.length < limit) query(db, "DELETE FROM forms WHERE id = $id").run({ id: form.id });
  return true;
}

/** Deletes submissions, records their files as loose, and their words as to be removed from the search index. */
export function deleteRows(db: Database, seqs: number[]): void {
  const list = JSON.stringify(seqs);
  queueRemovals(db, list);
  const among = "(SELECT value FROM json_each($list))";
  query(
    db,
    `INSERT OR IGNORE INTO loose_files (blob_key) SELECT blob_key FROM files WHERE submission_seq IN ${among}`,
  ).run({ list });
  query(db, `DELETE FROM submissions WHERE seq IN ${among}`).run({ list });
}

export function listLoose(db: Database, limit: number): string[] {
  const sql = "SELECT blob_key AS key FROM loose_files LIMIT $limit";
  return query<{ key: string }, { limit: number }>(db, sql)
    .all({ limit })
    .map(({ key }) => key);
}

export function forgetLoose(db: Database, keys: string[]): void {
  const sql = "DELETE FROM loose_files WHERE blob_key IN (SELECT value FROM json_each($keys))";
  query(db, sql).run({ keys: JSON.stringify(keys) });
}

export function listFiles(db: Database, after: string, limit: number): StoredFile[] {
  const sql = `
    SELECT f.blob_key AS key, s.id AS submission, f.name, f.size, f.sha256
    FROM files f JOIN submissions s ON s.seq = f.submission_seq
    WHERE f.blob_key > $after ORDER BY f.blob_key LIMIT $limit`;
  return query<Omit<StoredFile, "submission"> & { submission: Uint8Array }, { after: string; limit: number }>(
    db,
    sql,
  )
    .all({ after, limit })
    .map((file) => ({ ...file, submission: textOf(file.submission) }));
}

export function countFileBytes(db: Database): number {
  const sql = "SELECT coalesce(sum(size), 0) AS bytes FROM files";
  return query<{ bytes: number }, []>(db, sql).get()!.bytes;
}

export function unreferencedFiles(db: Database, keys: string[]): string[] {
  const sql = `
    SELECT value AS key FROM json_each($keys)
    WHERE value NOT IN (SELECT blob_key FROM files) AND value NOT IN (SELECT blob_key FROM loose_files)`;
  return query<{ key: string }, { keys: string }>(db, sql)
    .all({ keys: JSON.stringify(keys) })
    .map((row) => row.key);
}

export function newestSubmission(db: Database): string | null {
  const sql = `SELECT max((SELECT max(id) FROM submissions WHERE form_id = forms.id AND state = states.value)) AS id
               FROM forms, json_each('[0,1,2]') AS states`;
  const { id } = query<{ id: Uint8Array | null }, []>(db, sql).get()!;
  return id && textOf(id);
}
