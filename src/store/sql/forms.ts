import { clock } from "../../base/clock.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { FormChange } from "../../forms/change.ts";
import type { FormRecord } from "../../forms/form.ts";
import { DEFAULT_SETTINGS, storedSettings } from "../../forms/settings/settings.ts";
import { pageCut, pageOf } from "./pages.ts";
import { SKIP_LOCKED, type Work, all, first, run } from "./work.ts";

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

export function* insertForm({ form }: Change<"insertForm">): Work<void> {
  yield* run(
    `INSERT INTO forms (slug, name, key, enabled, uploads, success_url, error_url, allowed_origins, blocked_senders,
                        rate_limit, max_file_size, max_files, settings, created_at, updated_at)
     VALUES ($slug, $name, $key, $enabled, $uploads, $success_url, $error_url, $allowed_origins, $blocked_senders,
             $rate_limit, $max_file_size, $max_files, $settings, $created_at, $updated_at)`,
    toRow(form),
  );
}

export function* updateForm({ form }: Change<"updateForm">): Work<void> {
  const { slug: _slug, created_at: _createdAt, ...columns } = toRow(form);
  yield* run(
    `UPDATE forms SET name = $name, enabled = $enabled, uploads = $uploads, success_url = $success_url,
       error_url = $error_url, allowed_origins = $allowed_origins, blocked_senders = $blocked_senders,
       rate_limit = $rate_limit, max_file_size = $max_file_size, max_files = $max_files, settings = $settings,
       updated_at = $updated_at
     WHERE key = $key`,
    columns,
  );
}

/**
 * Marks a form as deleted and frees its slug and key, so that it is gone at once; `clearDeleted` removes its submissions
 * in steps.
 */
export function* deleteForm({ key }: Change<"deleteForm">): Work<void> {
  const random = () => clock.random(12).toHex();
  yield* run("UPDATE forms SET deleted = 1, slug = $newSlug, key = $newKey WHERE key = $key", {
    key,
    newSlug: `deleted-${random()}`,
    newKey: random(),
  });
}

/** Whether a form has no submission, nor anybody who is storing one. It takes none before the transaction ends. */
export function* isEmptyForm(key: string): Work<boolean> {
  const form = yield* first<{ id: number }>(`SELECT id FROM forms WHERE key = $key ${SKIP_LOCKED}`, { key });
  if (!form) return false;
  return (
    (yield* first("SELECT 1 FROM submissions WHERE form_id = $id LIMIT 1", { id: form.id })) === undefined
  );
}

function pageForms({ limit, after = "" }: PageQuery): Work<Page<FormRecord>> {
  const sql = "SELECT * FROM forms WHERE deleted = 0 AND slug > $after ORDER BY slug LIMIT $limit";
  return pageOf(all<Row>(sql, { after, limit: limit + 1 }, pageCut("settings")), limit, toRecord);
}

/** By slug. */
export function* formRecords(): Work<FormRecord[]> {
  return (yield* all<Row>("SELECT * FROM forms WHERE deleted = 0 ORDER BY slug")).map(toRecord);
}

/** A slug wins over another form's key. */
function* findForm(slugOrKey: string): Work<FormRecord | undefined> {
  const row = yield* first<Row>(
    `SELECT * FROM forms WHERE deleted = 0 AND (slug = $slugOrKey OR key = $slugOrKey)
     ORDER BY slug = $slugOrKey DESC LIMIT 1`,
    { slugOrKey },
  );
  return row && toRecord(row);
}

function* findFormByKey(key: string): Work<FormRecord | undefined> {
  const row = yield* first<Row>("SELECT * FROM forms WHERE key = $key AND deleted = 0", { key });
  return row && toRecord(row);
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

export const forms = {
  reads: { list: formRecords, page: pageForms, find: findForm, findByKey: findFormByKey },
};
