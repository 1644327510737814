import { clock } from "../../base/clock.ts";
import type { Page } from "../../base/pages.ts";
import type { FormChange } from "../../forms/change.ts";
import type { FormRecord } from "../../forms/form.ts";
import type { FormPageQuery } from "../../forms/store.ts";
import { parseFlagName } from "../../forms/intake/open-when.ts";
import { DEFAULT_SETTINGS, storedSettings } from "../../forms/settings/settings.ts";
import type { OpenedForm } from "../../projects/opened-form.ts";
import { filledBy } from "./memberships/sources.ts";
import { PROJECT_OF_FORM, type ProjectRow, amongProjects } from "./rows.ts";
import { DEFAULT_PROJECT } from "../../access/place.ts";
import { pageCut, pageOf } from "./pages.ts";
import { forgetStored } from "./submissions/quota.ts";
import { SKIP_LOCKED, type Work, all, first, run } from "./work.ts";

type Row = {
  id: number;
  project: string;
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

const SELECT = `SELECT f.*, ${PROJECT_OF_FORM} AS project FROM forms f WHERE f.deleted = 0`;

export function* insertForm({ form }: Change<"insertForm">): Work<void> {
  yield* run(
    `INSERT INTO forms (project_id, slug, name, key, enabled, uploads, success_url, error_url, allowed_origins,
                        blocked_senders, rate_limit, max_file_size, max_files, settings, created_at, updated_at)
     VALUES ((SELECT id FROM projects WHERE slug = $project), $slug, $name, $key, $enabled, $uploads, $success_url,
             $error_url, $allowed_origins, $blocked_senders, $rate_limit, $max_file_size, $max_files, $settings,
             $created_at, $updated_at)`,
    toRow(form),
  );
}

/**
 * Moves a form to another project, with its targets and its history since it was created. If a project has a limit, its
 * usage is counted again.
 */
export function* moveForm({ key, slug, from, project }: Change<"moveForm">): Work<void> {
  const places = { from, project };
  yield* run(
    `UPDATE changes SET project_id = (SELECT id FROM projects WHERE slug = $project)
     WHERE kind = 'form' AND name = $slug AND project_id = (SELECT id FROM projects WHERE slug = $from)
       AND revision >= coalesce((SELECT max(revision) FROM changes WHERE kind = 'form' AND name = $slug AND before IS NULL
         AND project_id = (SELECT id FROM projects WHERE slug = $from)), 0)`,
    { ...places, slug },
  );
  yield* run(
    "UPDATE forms SET project_id = (SELECT id FROM projects WHERE slug = $project) WHERE key = $key",
    {
      project,
      key,
    },
  );
  const held = yield* all<{ id: number }>("SELECT id FROM projects WHERE slug IN ($from, $project)", places);
  yield* forgetStored(held.map(({ id }) => id));
}

export function* updateForm({ form }: Change<"updateForm">): Work<void> {
  const { project: _project, slug: _slug, created_at: _createdAt, ...columns } = toRow(form);
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
 * Marks a form as deleted and frees its slug and key, so that it is gone at once. `clearDeleted` removes its
 * submissions in steps.
 */
export function* deleteForm({ key }: Change<"deleteForm">): Work<void> {
  const form = yield* first<{ id: number; project: number | null }>(
    "SELECT id, project_id AS project FROM forms WHERE key = $key",
    { key },
  );
  const random = () => clock.random(12).toHex();
  yield* run(
    "UPDATE forms SET deleted = 1, slug = $newSlug, key = $newKey, project_id = NULL WHERE key = $key",
    {
      key,
      newSlug: `deleted-${random()}`,
      newKey: random(),
    },
  );
  // Its address is gone with it, before the rows of the form are.
  yield* run("DELETE FROM feeds WHERE form_id = $id", { id: form?.id ?? null });
  if (form && form.project !== null) yield* forgetStored([form.project]);
}

/** Whether a form has no submission, stored or in progress. It accepts none until the transaction ends. */
export function* isEmptyForm(key: string): Work<boolean> {
  const form = yield* first<{ id: number }>(`SELECT id FROM forms WHERE key = $key ${SKIP_LOCKED}`, { key });
  if (!form) return false;
  return (
    (yield* first("SELECT 1 FROM submissions WHERE form_id = $id LIMIT 1", { id: form.id })) === undefined
  );
}

function pageForms({ limit, after = null, projects }: FormPageQuery): Work<Page<FormRecord>> {
  const among = amongProjects(projects);
  // The index has the order of the slugs.
  const behind = after === null ? "" : ` AND (f.slug, ${PROJECT_OF_FORM}) > ($slug, $project)`;
  const sql = `${SELECT} AND f.slug >= $slug${behind}${among.where} ORDER BY f.slug, project LIMIT $limit`;
  const from = after === null ? { slug: "" } : { slug: after.slug, project: after.project };
  const params = { ...from, ...among.params, limit: limit + 1 };
  return pageOf(all<Row>(sql, params, pageCut("settings")), limit, toRecord);
}

/** By slug and project; with null those of every project. */
export function* formRecords(projects: readonly string[] | null = null): Work<FormRecord[]> {
  const { where, params } = amongProjects(projects);
  return (yield* all<Row>(`${SELECT}${where} ORDER BY f.slug, project`, params)).map(toRecord);
}

function* findForms(slugOrKey: string): Work<FormRecord[]> {
  const rows = yield* all<Row>(`${SELECT} AND (f.slug = $slugOrKey OR f.key = $slugOrKey) ORDER BY project`, {
    slugOrKey,
  });
  return rows.map(toRecord);
}

/** The forms that are open while a flag of a project is true. */
export function* openedForms(project: string): Work<OpenedForm[]> {
  // The pattern finds too much rather than too little: `_` stands for any character, and a schema may have such a member.
  const pattern = `%"openWhen":"${project}/%`;
  const rows = yield* all<Row>(`${SELECT} AND f.settings LIKE $pattern ORDER BY f.slug, project`, {
    pattern,
  });
  return rows.map(toRecord).flatMap(({ project: own, slug, openWhen }) => {
    if (openWhen === null) return [];
    const { project: ofFlag, environment, flag } = parseFlagName(openWhen);
    return ofFlag === project ? [{ project: own, form: slug, environment, flag }] : [];
  });
}

type ServedRow = Row & { fills: number } & Pick<ProjectRow, "accent" | "max_submissions" | "max_storage">;

function* findFormByKey(key: string): Work<FormRecord | undefined> {
  const row = yield* first<ServedRow>(
    `SELECT f.*, coalesce(p.slug, '${DEFAULT_PROJECT}') AS project, p.accent, p.max_submissions, p.max_storage
     FROM forms f LEFT JOIN projects p ON p.id = f.project_id WHERE f.key = $key AND f.deleted = 0`,
    { key },
  );
  if (!row) return undefined;
  const { accent, max_submissions: maxSubmissions, max_storage: maxStorage } = row;
  const quota = maxSubmissions === null && maxStorage === null ? null : { maxSubmissions, maxStorage };
  return { ...toRecord(row), ofProject: { accent, quota }, ...(row.fills === 1 && { fills: true }) };
}

function toRecord(row: Omit<Row, "id">): FormRecord {
  return {
    project: row.project,
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
    project: record.project,
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
  reads: { list: formRecords, page: pageForms, named: findForms, findByKey: findFormByKey, filledBy },
};
