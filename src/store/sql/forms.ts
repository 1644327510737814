import { clock } from "../../base/clock.ts";
import type { Page } from "../../base/pages.ts";
import type { FormChange } from "../../forms/change.ts";
import type { FormRecord } from "../../forms/form.ts";
import type { FormPageQuery } from "../../forms/store.ts";
import { parseFlagName } from "../../forms/intake/open-when.ts";
import { DEFAULT_SETTINGS, storedSettings } from "../../forms/settings/settings.ts";
import type { OpenedForm } from "../../projects/opened-form.ts";
import { filledBy } from "./memberships/sources.ts";
import { PROJECT_OF_FORM, type ProjectRow, amongProjects, findProjectRow } from "./rows.ts";
import { DEFAULT_PROJECT } from "../../access/place.ts";
import { pageCut, pageOf } from "./pages.ts";
import type * as Learning from "./submissions/learning.ts";
import { forgetStored } from "./submissions/quota.ts";
import { SKIP_LOCKED, type Work, all, fieldsOf, first, insert, run, setsOf } from "./work.ts";

type Row = Pick<FormRecord, "project" | "slug" | "name" | "key" | "successUrl" | "errorUrl"> &
  Pick<FormRecord, "maxFileSize" | "maxFiles" | "createdAt" | "updatedAt"> & {
    enabled: number;
    uploads: number;
    learn: number;
    allowedOrigins: string;
    blockedSenders: string;
    rateLimit: string | null;
    settings: string;
  };

const FIELDS = `slug name key enabled uploads learn successUrl errorUrl allowedOrigins blockedSenders rateLimit maxFileSize
  maxFiles settings createdAt updatedAt`;
const COLUMNS = fieldsOf("f", FIELDS);

type Change<K> = FormChange & { change: K };

const SELECT = `SELECT ${PROJECT_OF_FORM} AS project, ${COLUMNS} FROM forms f WHERE f.deleted = 0`;

export function* insertForm({ form }: Change<"insertForm">): Work<void> {
  const { project, ...row } = toRow(form);
  yield* insert("forms", { ...row, projectId: (yield* findProjectRow(project))?.id ?? null });
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
  const { project: _project, slug: _slug, key, createdAt: _createdAt, ...row } = toRow(form);
  yield* run(`UPDATE forms SET ${setsOf(row)} WHERE key = $key`, { ...row, key });
  if (form.learn) {
    const { learnBefore } = require("./submissions/learning.ts") as typeof Learning;
    yield* learnBefore(key);
  } else yield* run("DELETE FROM learned WHERE form_id = (SELECT id FROM forms WHERE key = $key)", { key });
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
  yield* run("DELETE FROM learned WHERE form_id = $id", { id: form?.id ?? null });
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
    `SELECT coalesce(p.slug, '${DEFAULT_PROJECT}') AS project, ${COLUMNS}, f.fills, p.accent, p.max_submissions, p.max_storage
     FROM forms f LEFT JOIN projects p ON p.id = f.project_id WHERE f.key = $key AND f.deleted = 0`,
    { key },
  );
  if (!row) return undefined;
  const { accent, max_submissions: maxSubmissions, max_storage: maxStorage, fills, ...columns } = row;
  const quota = maxSubmissions === null && maxStorage === null ? null : { maxSubmissions, maxStorage };
  return { ...toRecord(columns), ofProject: { accent, quota }, ...(fills === 1 && { fills: true }) };
}

function toRecord({ settings, createdAt, updatedAt, ...row }: Row): FormRecord {
  return {
    ...row,
    enabled: row.enabled === 1,
    uploads: row.uploads === 1,
    learn: row.learn === 1,
    allowedOrigins: JSON.parse(row.allowedOrigins),
    blockedSenders: JSON.parse(row.blockedSenders),
    rateLimit: row.rateLimit === null ? null : JSON.parse(row.rateLimit),
    ...DEFAULT_SETTINGS,
    ...JSON.parse(settings),
    createdAt,
    updatedAt,
  };
}

function toRow(record: FormRecord): Row {
  const { project, slug, name, key, successUrl, errorUrl, maxFileSize, maxFiles } = record;
  const { createdAt, updatedAt, rateLimit } = record;
  const plain = {
    project,
    slug,
    name,
    key,
    successUrl,
    errorUrl,
    maxFileSize,
    maxFiles,
    createdAt,
    updatedAt,
  };
  return {
    ...plain,
    enabled: record.enabled ? 1 : 0,
    uploads: record.uploads ? 1 : 0,
    learn: record.learn ? 1 : 0,
    allowedOrigins: JSON.stringify(record.allowedOrigins),
    blockedSenders: JSON.stringify(record.blockedSenders),
    rateLimit: rateLimit && JSON.stringify(rateLimit),
    settings: JSON.stringify(storedSettings(record)),
  };
}

export const forms = {
  reads: { list: formRecords, page: pageForms, named: findForms, findByKey: findFormByKey, filledBy },
};
