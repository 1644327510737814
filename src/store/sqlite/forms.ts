import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { SetResult } from "../../base/result.ts";
import {
  type Form,
  type FormPatch,
  type FormRecord,
  applyFormPatch,
  noSuchForm,
  viewForm,
} from "../../forms/form.ts";
import { cutPage } from "./pages.ts";
import { query } from "./statements.ts";
import { nextVersion } from "./version.ts";

type Row = {
  id: number;
  slug: string;
  name: string;
  key: string;
  enabled: number;
  uploads: number;
  success_url: string | null;
  error_url: string | null;
  allowed_origins: string;
  blocked_senders: string;
  rate_limit: string | null;
  max_file_size: number | null;
  max_files: number | null;
  created_at: number;
  updated_at: number;
};

export function insertForm(db: Database, record: FormRecord): Form {
  if (findRow(db, record.slug)) {
    throw new AppError("conflict", `form "${record.slug}" already exists`, {
      hint: `formflag forms get ${record.slug} shows it; --if-not-exists leaves it as it is`,
    });
  }
  query(
    db,
    `INSERT INTO forms (slug, name, key, enabled, uploads, success_url, error_url, allowed_origins, blocked_senders,
                        rate_limit, max_file_size, max_files, created_at, updated_at)
     VALUES ($slug, $name, $key, $enabled, $uploads, $success_url, $error_url, $allowed_origins, $blocked_senders,
             $rate_limit, $max_file_size, $max_files, $created_at, $updated_at)`,
  ).run(toRow(record));
  nextVersion(db);
  return viewForm(record);
}

export function updateForm(
  db: Database,
  slugOrKey: string,
  patch: FormPatch,
  now: number,
): { form: Form; result: SetResult } {
  const { id, ...row } = formRow(db, slugOrKey);
  const { record, result } = applyFormPatch(toRecord(row), patch, now);
  if (result === "updated") {
    const { slug: _slug, key: _key, created_at: _createdAt, ...columns } = toRow(record);
    query(
      db,
      `UPDATE forms SET name = $name, enabled = $enabled, uploads = $uploads, success_url = $success_url,
         error_url = $error_url, allowed_origins = $allowed_origins, blocked_senders = $blocked_senders,
         rate_limit = $rate_limit, max_file_size = $max_file_size, max_files = $max_files, updated_at = $updated_at
       WHERE id = $id`,
    ).run({ ...columns, id });
    nextVersion(db);
  }
  return { form: viewForm(record), result };
}

export function listForms(db: Database): Form[] {
  return formRecords(db).map(viewForm);
}

export function pageForms(db: Database, { limit, after = "" }: PageQuery): Page<Form> {
  const sql = "SELECT * FROM forms WHERE slug > $after ORDER BY slug LIMIT $limit";
  const rows = query<Row, { after: string; limit: number }>(db, sql).iterate({ after, limit: limit + 1 });
  return cutPage(rows, limit, (row) => viewForm(toRecord(row)));
}

/** By slug. */
export function formRecords(db: Database): FormRecord[] {
  return query<Row, []>(db, "SELECT * FROM forms ORDER BY slug").all().map(toRecord);
}

export function findForm(db: Database, slugOrKey: string): Form | undefined {
  const row = findRow(db, slugOrKey);
  return row && viewForm(toRecord(row));
}

export function findFormByKey(db: Database, key: string): Form | undefined {
  const row = query<Row, { key: string }>(db, "SELECT * FROM forms WHERE key = $key").get({ key });
  return row ? viewForm(toRecord(row)) : undefined;
}

export function deleteForm(db: Database, slugOrKey: string): string[] {
  const { id } = formRow(db, slugOrKey);
  const files = query<{ blob_key: string }, { id: number }>(
    db,
    "SELECT blob_key FROM files JOIN submissions ON seq = submission_seq WHERE form_id = $id",
  ).all({ id });
  query(db, "DELETE FROM forms WHERE id = $id").run({ id });
  nextVersion(db);
  return files.map((file) => file.blob_key);
}

function formRow(db: Database, slugOrKey: string): Row {
  const row = findRow(db, slugOrKey);
  if (!row) throw noSuchForm(slugOrKey);
  return row;
}

/** A slug wins over another form's key. */
function findRow(db: Database, slugOrKey: string): Row | undefined {
  const sql =
    "SELECT * FROM forms WHERE slug = $slugOrKey OR key = $slugOrKey ORDER BY slug = $slugOrKey DESC LIMIT 1";
  return query<Row, { slugOrKey: string }>(db, sql).get({ slugOrKey }) ?? undefined;
}

function toRecord(row: Omit<Row, "id">): FormRecord {
  return {
    slug: row.slug,
    name: row.name,
    key: row.key,
    enabled: row.enabled === 1,
    uploads: row.uploads === 1,
    successUrl: row.success_url,
    errorUrl: row.error_url,
    allowedOrigins: JSON.parse(row.allowed_origins),
    blockedSenders: JSON.parse(row.blocked_senders),
    rateLimit: row.rate_limit === null ? null : JSON.parse(row.rate_limit),
    maxFileSize: row.max_file_size,
    maxFiles: row.max_files,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toRow(record: FormRecord): Omit<Row, "id"> {
  return {
    slug: record.slug,
    name: record.name,
    key: record.key,
    enabled: record.enabled ? 1 : 0,
    uploads: record.uploads ? 1 : 0,
    success_url: record.successUrl,
    error_url: record.errorUrl,
    allowed_origins: JSON.stringify(record.allowedOrigins),
    blocked_senders: JSON.stringify(record.blockedSenders),
    rate_limit: record.rateLimit && JSON.stringify(record.rateLimit),
    max_file_size: record.maxFileSize,
    max_files: record.maxFiles,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}
