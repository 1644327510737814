import type { Database } from "bun:sqlite";
import { AppError } from "../../base/errors.ts";
import type { Page } from "../../base/pages.ts";
import type { CodeList, CodePlace, CodeUploadRecord } from "../../flags/code-reference.ts";
import type { CodeQuery, StoredCodeList } from "../../flags/store.ts";
import { cutPage } from "../sql/pages.ts";
import { projectRow } from "../sql/rows.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

/** Neither in a slug, which has no control characters, nor in JSON. */
const [FIELD_END, LIST_END] = ["\t", "\n"];

/** Lists as one text, which reaches the writer thread in a fraction of the time of objects. */
export function packLists(lists: CodeList[]): string {
  return lists.map(({ slug, part, places }) => [slug, part, places].join(FIELD_END)).join(LIST_END);
}

/** Stores an upload. Lists that are stored already are not written again: most of a branch stays as it was. */
export function replaceCode(
  db: Database,
  project: string,
  { branch, projectName, repositoryUrl, uploadedAt }: CodeUploadRecord,
  packed: string,
  most: number,
): void {
  const { id: projectId } = runWork(db, projectRow(project));
  const { id: uploadId } = query<{ id: number }>(
    db,
    `INSERT INTO code_uploads (project_id, branch, name, repository_url, uploaded_at)
     VALUES ($projectId, $branch, $projectName, $repositoryUrl, $uploadedAt)
     ON CONFLICT (project_id, branch, name)
     DO UPDATE SET repository_url = excluded.repository_url, uploaded_at = excluded.uploaded_at
     RETURNING id`,
  ).get({ projectId, branch, projectName, repositoryUrl, uploadedAt })!;
  const gone = new Map(
    query<{ id: number; slug: string; part: number }>(
      db,
      "SELECT id, slug, part FROM code_references WHERE upload_id = $uploadId",
    )
      .all({ uploadId })
      .map(({ id, slug, part }) => [`${slug}${FIELD_END}${part}`, id]),
  );
  const put = query<unknown, [number, string, number, string]>(
    db,
    `INSERT INTO code_references (upload_id, slug, part, places) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (upload_id, slug, part) DO UPDATE SET places = excluded.places WHERE places <> excluded.places`,
  );
  for (const list of packed === "" ? [] : packed.split(LIST_END)) {
    const [slug, part, places] = list.split(FIELD_END) as [string, string, string];
    put.run(uploadId, slug, Number(part), places);
    gone.delete(`${slug}${FIELD_END}${part}`);
  }
  for (const id of gone.values()) query(db, "DELETE FROM code_references WHERE id = $id").run({ id });
  query(
    db,
    `DELETE FROM code_uploads WHERE id IN (
       SELECT id FROM code_uploads WHERE project_id = $projectId AND id <> $uploadId
       ORDER BY uploaded_at DESC, id DESC LIMIT -1 OFFSET $others)`,
  ).run({ projectId, uploadId, others: most - 1 });
}

export function removeCode(db: Database, project: string, { branch, projectName }: CodePlace): void {
  const { id: projectId } = runWork(db, projectRow(project));
  query(
    db,
    "DELETE FROM code_uploads WHERE project_id = $projectId AND branch = $branch AND name = $projectName",
  ).run({ projectId, branch, projectName });
}

/** In the order in which they were first stored. */
export function listCodeUploads(db: Database, project: string): (CodeUploadRecord & { id: number })[] {
  const { id: projectId } = runWork(db, projectRow(project));
  return query<CodeUploadRecord & { id: number }>(
    db,
    `SELECT id, branch, name AS projectName, repository_url AS repositoryUrl, uploaded_at AS uploadedAt
     FROM code_uploads WHERE project_id = $projectId ORDER BY id`,
  ).all({ projectId });
}

export function listCodeSlugs(db: Database, upload: number, after: string, limit: number): string[] {
  return query<{ slug: string }>(
    db,
    `SELECT DISTINCT slug FROM code_references WHERE upload_id = $upload AND slug > $after
     ORDER BY slug LIMIT $limit`,
  )
    .all({ upload, after, limit })
    .map(({ slug }) => slug);
}

/** Bytes of an answer for each that is stored: with names and addresses, and slower to make than others. */
const ANSWERED = 8;

export function pageCode(
  db: Database,
  project: string,
  { flag, branch, projectName, limit, after }: CodeQuery,
): Page<StoredCodeList> {
  const uploads = listCodeUploads(db, project).filter(
    (upload) =>
      (branch === undefined || upload.branch === branch) &&
      (projectName === undefined || upload.projectName === projectName),
  );
  const lists = listsOf(db, uploads, flag ?? null, readCursor(after));
  return cutPage(
    lists,
    limit,
    (list) => list,
    ({ places }) => places.length * ANSWERED,
  );
}

type Cursor = { upload: number; part: number; slug: string };

function* listsOf(
  db: Database,
  uploads: (CodeUploadRecord & { id: number })[],
  flag: string | null,
  after: Cursor,
): Generator<StoredCodeList> {
  const lists = query<CodeList, { id: number; slug: string; part: number; flag: string | null }>(
    db,
    `SELECT slug, part, places FROM code_references
     WHERE upload_id = $id AND (slug, part) > ($slug, $part) ${flag === null ? "AND $flag IS NULL" : "AND slug = $flag"}
     ORDER BY slug, part`,
  );
  for (const { id, ...upload } of uploads) {
    if (id < after.upload) continue;
    const { slug, part } = id === after.upload ? after : START;
    for (const list of lists.iterate({ id, slug, part, flag }))
      yield { ...upload, ...list, cursor: `${id}.${list.part}.${list.slug}` };
  }
}

const START: Cursor = { upload: 0, part: -1, slug: "" };

function readCursor(text: string | undefined): Cursor {
  if (text === undefined) return START;
  const [, upload, part, slug] = /^(\d{1,15})\.(\d{1,9})\.(.+)$/.exec(text) ?? [];
  if (slug === undefined)
    throw new AppError("invalid", "after is not the cursor of a list of code references");
  return { upload: Number(upload), part: Number(part), slug };
}
