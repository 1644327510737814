import { type Database, SQLiteError } from "bun:sqlite";
import { isoTime } from "../../base/clock.ts";
import { noSuchForm } from "../../forms/form.ts";
import type { StoredSubmission } from "../../forms/store.ts";
import type { StoredFile, Submission, SubmissionPage } from "../../forms/submission.ts";
import { cutPage } from "./pages.ts";
import { query } from "./statements.ts";

type Row = { id: string; form: string; data: string; files: string; created_at: number };

/** Sorts after every id, because ids consist of hex digits and dashes. */
const AFTER_EVERY_ID = "~";

const SELECT = `
  SELECT s.id, f.slug AS form, s.data, s.created_at,
         (SELECT json_group_array(
                   json_object('field', field, 'name', name, 'type', type, 'size', size, 'sha256', sha256)
                   ORDER BY position)
          FROM files WHERE submission_seq = s.seq) AS files
  FROM submissions s JOIN forms f ON f.id = s.form_id`;

/** The parameters are not an object, which takes twice as long to send to a thread: `npm run bench -- submissions`. */
export function insertSubmission(
  db: Database,
  id: string,
  formKey: string,
  data: string,
  createdAt: number,
  files: StoredSubmission["files"],
): void {
  const seq = insertRow(db, id, formKey, data, createdAt);
  for (const [index, { key, ...file }] of files.entries()) {
    query(
      db,
      `INSERT INTO files (submission_seq, position, field, name, type, size, sha256, blob_key)
       VALUES ($seq, $position, $field, $name, $type, $size, $sha256, $key)`,
    ).run({ seq, position: index + 1, key, ...file });
  }
}

/** Returns the `seq` of the row. Throws `not_found` for the form. */
function insertRow(db: Database, id: string, formKey: string, data: string, createdAt: number): number {
  try {
    // A third faster than INSERT … SELECT … FROM forms.
    const { lastInsertRowid } = query<unknown, [string, string, number, string]>(
      db,
      `INSERT INTO submissions (id, form_id, data, created_at)
       VALUES (?1, (SELECT id FROM forms WHERE key = ?4), ?2, ?3)`,
    ).run(id, data, createdAt, formKey);
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
): SubmissionPage {
  const form = query<{ id: number }, { formKey: string }>(
    db,
    "SELECT id FROM forms WHERE key = $formKey",
  ).get({ formKey });
  if (!form) throw noSuchForm(formKey);
  const sql = `${SELECT} WHERE s.form_id = $formId AND s.id < $before ORDER BY s.id DESC LIMIT $limit`;
  const rows = query<Row, { formId: number; before: string; limit: number }>(db, sql).iterate({
    formId: form.id,
    before: before ?? AFTER_EVERY_ID,
    limit: limit + 1,
  });
  const { items: submissions, more } = cutPage(rows, limit, view);
  return { submissions, more };
}

export function findSubmission(db: Database, id: string): Submission | undefined {
  const row = query<Row, { id: string }>(db, `${SELECT} WHERE s.id = $id AND f.deleted = 0`).get({ id });
  return row ? view(row) : undefined;
}

export function countSubmissions(db: Database, formKey: string): number {
  const sql =
    "SELECT count(*) AS count FROM submissions WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)";
  return query<{ count: number }, { formKey: string }>(db, sql).get({ formKey })!.count;
}

/** Deletes a submission and records its files as loose. Returns whether it existed. */
export function deleteSubmission(db: Database, id: string): boolean {
  const row = query<{ seq: number }, { id: string }>(
    db,
    "SELECT s.seq FROM submissions s JOIN forms f ON f.id = s.form_id WHERE s.id = $id AND f.deleted = 0",
  ).get({ id });
  if (row) deleteRows(db, [row.seq]);
  return row !== null;
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

function deleteRows(db: Database, seqs: number[]): void {
  const list = JSON.stringify(seqs);
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
  return query<StoredFile, { after: string; limit: number }>(db, sql).all({ after, limit });
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
  return query<{ id: string | null }, []>(db, "SELECT max(id) AS id FROM submissions").get()!.id;
}

function view(row: Row): Submission {
  return {
    id: row.id,
    form: row.form,
    data: JSON.parse(row.data),
    files: JSON.parse(row.files),
    createdAt: isoTime(row.created_at),
  };
}
