import { DAY_MS, HOUR_MS } from "../../../base/days.ts";
import type { Quota } from "../../../forms/form.ts";
import type { StoredSubmission } from "../../../forms/intake/insertion.ts";
import { FOR_UPDATE, type Work, all, first, only, run } from "../work.ts";

/** The bytes that a submission takes of the storage of its project: its data and its files. */
export function sizeOf({ data, files }: Pick<StoredSubmission, "data" | "files">): number {
  return files.reduce((sum, { size }) => sum + size, Buffer.byteLength(data));
}

/**
 * The limit of its project that a submission of some bytes to a form would pass; null for none. The project stays locked, so
 * that submissions to its other forms wait.
 */
export function* findSpent(
  formKey: string,
  now: number,
  bytes: number,
  { maxSubmissions, maxStorage }: Quota,
): Work<"quota-day" | "quota-storage" | null> {
  const project = yield* first<{ id: number }>(
    `SELECT id FROM projects WHERE id = (SELECT project_id FROM forms WHERE key = $formKey) ${FOR_UPDATE}`,
    { formKey },
  );
  if (!project) return null;
  if (maxSubmissions !== null && (yield* countDay(project.id, now)) >= maxSubmissions) return "quota-day";
  if (maxStorage !== null && (yield* storedIn(project.id)) + bytes > maxStorage) return "quota-storage";
  return null;
}

/** The submissions to the forms of a project that were stored on the day of a time in UTC, spam and unconfirmed ones too. */
export function* countDay(projectId: number, now: number): Work<number> {
  const from = Math.floor(now / DAY_MS) * (DAY_MS / HOUR_MS);
  const sql = `SELECT coalesce(sum(c.count), 0) AS count FROM forms f CROSS JOIN submission_counts c
    WHERE f.project_id = $projectId AND c.form_id = f.id AND c.state IN (0, 1, 3) AND c.unread = 1
      AND c.hour >= $from AND c.hour < $until`;
  return (yield* only<{ count: number }>(sql, { projectId, from, until: from + DAY_MS / HOUR_MS })).count;
}

const BYTES = `octet_length(s.data)
  + coalesce((SELECT sum(size) FROM files WHERE submission_seq = s.seq), 0)`;

/** The bytes that the forms of a project hold, which are counted once and kept from then on. */
export function* storedIn(projectId: number): Work<number> {
  const known = yield* first<{ bytes: number }>(
    "SELECT bytes FROM project_storage WHERE project_id = $projectId",
    { projectId },
  );
  if (known) return known.bytes;
  const { bytes } = yield* only<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(${BYTES}), 0) AS BIGINT) AS bytes FROM forms f CROSS JOIN submissions s
     WHERE f.project_id = $projectId AND s.form_id = f.id`,
    { projectId },
  );
  yield* run("INSERT INTO project_storage (project_id, bytes) VALUES ($projectId, $bytes)", {
    projectId,
    bytes,
  });
  return bytes;
}

/** Adds to what the project of a form holds. */
export function* addStored(formKey: string, bytes: number): Work<void> {
  yield* run(
    `UPDATE project_storage SET bytes = bytes + $bytes
     WHERE project_id = (SELECT project_id FROM forms WHERE key = $formKey)`,
    { formKey, bytes },
  );
}

/**
 * Subtracts submissions that are about to be deleted from the usage of their projects; `list` is a JSON list of their
 * `seq`. The projects stay locked, so that submissions that count towards them wait.
 */
export function* takeStored(list: string): Work<void> {
  const among = "SELECT CAST(value AS BIGINT) FROM json_each($list)";
  let projects: number[] = [];
  for (;;) {
    const rows = yield* all<{ id: number }>(
      `SELECT DISTINCT f.project_id AS id FROM submissions s JOIN forms f ON f.id = s.form_id
       WHERE s.seq IN (${among}) AND f.project_id IS NOT NULL ORDER BY f.project_id`,
      { list },
    );
    // While this waited for a lock, a form may have moved.
    if (rows.every(({ id }) => projects.includes(id))) break;
    projects = rows.map(({ id }) => id);
    yield* lockProjects(projects);
  }
  if (projects.length === 0) return;
  yield* run(
    `UPDATE project_storage SET bytes = bytes - (
       SELECT CAST(coalesce(sum(${BYTES}), 0) AS BIGINT) FROM submissions s JOIN forms f ON f.id = s.form_id
       WHERE f.project_id = project_storage.project_id AND s.seq IN (${among}))
     WHERE project_id IN (SELECT CAST(value AS BIGINT) FROM json_each($projects))`,
    { list, projects: JSON.stringify(projects) },
  );
}

/** Lets what the project of a form holds be counted again. The form has to be locked. */
export function* recountStored(formId: number): Work<void> {
  const { id } = yield* only<{ id: number | null }>("SELECT project_id AS id FROM forms WHERE id = $formId", {
    formId,
  });
  if (id !== null) yield* forgetStored([id]);
}

/**
 * Marks the usage of some projects to be counted again, after transactions that count it now. Lock forms before this.
 */
export function* forgetStored(projects: readonly number[]): Work<void> {
  yield* lockProjects(projects);
  yield* run(
    "DELETE FROM project_storage WHERE project_id IN (SELECT CAST(value AS BIGINT) FROM json_each($projects))",
    { projects: JSON.stringify(projects) },
  );
}

function* lockProjects(projects: readonly number[]): Work<void> {
  yield* all(
    `SELECT id FROM projects WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($projects))
     ORDER BY id ${FOR_UPDATE}`,
    { projects: JSON.stringify(projects) },
  );
}
