import type { Database } from "bun:sqlite";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { FormChange } from "../../forms/change.ts";
import type { FormRecord } from "../../forms/form.ts";
import { DEFAULT_SETTINGS, storedSettings } from "../../forms/settings.ts";
import { cutPage } from "../sql/pages.ts";
import { query } from "./statements.ts";

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
  settings: string;
  created_at: number;
  updated_at: number;
};

type Change<K> = FormChange & { change: K };

export function insertForm(db: Database, { form }: Change<"insertForm">): void {
  query(
    db,
    `INSERT INTO forms (slug, name, key, enabled, uploads, success_url, error_url, allowed_origins, blocked_senders,
                        rate_limit, max_file_size, max_files, settings, created_at, updated_at)
     VALUES ($slug, $name, $key, $enabled, $uploads, $success_url, $error_url, $allowed_origins, $blocked_senders,
             $rate_limit, $max_file_size, $max_files, $settings, $created_at, $updated_at)`,
  ).run(toRow(form));
}

export function updateForm(db: Database, { form }: Change<"updateForm">): void {
  const { slug: _slug, created_at: _createdAt, ...columns } = toRow(form);
  query(
    db,
    `UPDATE forms SET name = $name, enabled = $enabled, uploads = $uploads, success_url = $success_url,
       error_url = $error_url, allowed_origins = $allowed_origins, blocked_senders = $blocked_senders,
       rate_limit = $rate_limit, max_file_size = $max_file_size, max_files = $max_files, settings = $settings,
       updated_at = $updated_at
     WHERE key = $key`,
  ).run(columns);
}

/**
 * Marks a form as deleted and frees its slug and key, so that it is gone at once; `clearDeleted` removes its submissions
 * in steps.
 */
export function deleteForm(db: Database, { key }: Change<"deleteForm">): void {
  query(
    db,
    `UPDATE forms SET deleted = 1, slug = 'deleted-' || lower(hex(randomblob(12))), key = lower(hex(randomblob(12)))
     WHERE key = $key`,
  ).run({ key });
}

export function isEmptyForm(db: Database, key: string): boolean {
  const sql = "SELECT 1 FROM submissions WHERE form_id = (SELECT id FROM forms WHERE key = $key) LIMIT 1";
  return query<unknown, { key: string }>(db, sql).get({ key }) === null;
}

export function pageForms(db: Database, { limit, after = "" }: PageQuery): Page<FormRecord> {
  const sql = "SELECT * FROM forms WHERE deleted = 0 AND slug > $after ORDER BY slug LIMIT $limit";
  const rows = query<Row, { after: string; limit: number }>(db, sql).iterate({ after, limit: limit + 1 });
  return cutPage(rows, limit, toRecord);
}

/** By slug. */
export function formRecords(db: Database): FormRecord[] {
  return query<Row, []>(db, "SELECT * FROM forms WHERE deleted = 0 ORDER BY slug").all().map(toRecord);
}

export function findForm(db: Database, slugOrKey: string): FormRecord | undefined {
  const row = findRow(db, slugOrKey);
  return row && toRecord(row);
}

export function findFormByKey(db: Database, key: string): FormRecord | undefined {
  const row = query<Row, { key: string }>(db, "SELECT * FROM forms WHERE key = $key AND deleted = 0").get({
    key,
  });
  return row ? toRecord(row) : undefined;
}

/** A slug wins over another form's key. */
function findRow(db: Database, slugOrKey: string): Row | undefined {
  const sql = `SELECT * FROM forms WHERE deleted = 0 AND (slug = $slugOrKey OR key = $slugOrKey)
     ORDER BY slug = $slugOrKey DESC LIMIT 1`;
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
    ...DEFAULT_SETTINGS,
    ...JSON.parse(row.settings),
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
    settings: JSON.stringify(storedSettings(record)),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}
