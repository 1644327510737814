import { AppError } from "../../base/errors.ts";
import { MAX_PAGE_BYTES, type Page } from "../../base/pages.ts";
import type { CodeList, CodePlace, CodeUploadRecord } from "../../flags/code/code-reference.ts";
import type { CodeQuery, StoredCodeList } from "../../flags/store.ts";
import { insertRows } from "./lists.ts";
import { cutPage } from "./pages.ts";
import { projectRow } from "./rows.ts";
import { WEIGHT } from "./bind.ts";
import { FOR_UPDATE, type Params, type Value, type Work, all, only, run } from "./work.ts";

/** Neither in a slug, which has no control characters, nor in JSON. */
const [FIELD_END, LIST_END] = ["\t", "\n"];

/** Lists as one text, which reaches the writer thread in a fraction of the time of objects. */
export function packLists(lists: CodeList[]): string {
  return lists.map(({ slug, part, places }) => [slug, part, places].join(FIELD_END)).join(LIST_END);
}

/** Stores an upload. Lists that are stored already are not written again: most of a branch stays as it was. */
function* replaceCode(
  project: string,
  { branch, projectName, repositoryUrl, commit, uploadedAt }: CodeUploadRecord,
  packed: string,
  most: number,
): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  // The next upload counts this one.
  yield* run(`SELECT id FROM projects WHERE id = $projectId ${FOR_UPDATE}`, { projectId });
  const { id: uploadId } = yield* only<{ id: number }>(
    `INSERT INTO code_uploads (project_id, branch, name, repository_url, commit_id, uploaded_at)
     VALUES ($projectId, $branch, $projectName, $repositoryUrl, $commit, $uploadedAt)
     ON CONFLICT (project_id, branch, name)
     DO UPDATE SET repository_url = excluded.repository_url, commit_id = excluded.commit_id, uploaded_at = excluded.uploaded_at
     RETURNING id`,
    { projectId, branch, projectName, repositoryUrl, commit, uploadedAt },
  );
  const stored = yield* all<{ id: number; slug: string; part: number }>(
    "SELECT id, slug, part FROM code_references WHERE upload_id = $uploadId",
    { uploadId },
  );
  const gone = new Map(stored.map(({ id, slug, part }) => [`${slug}${FIELD_END}${part}`, id]));
  const lists: Value[][] = [];
  for (const list of packed === "" ? [] : packed.split(LIST_END)) {
    const [slug, part, places] = list.split(FIELD_END) as [string, string, string];
    lists.push([uploadId, slug, Number(part), places]);
    gone.delete(`${slug}${FIELD_END}${part}`);
  }
  yield* insertRows(
    "INSERT INTO code_references (upload_id, slug, part, places)",
    lists,
    `ON CONFLICT (upload_id, slug, part)
     DO UPDATE SET places = excluded.places WHERE code_references.places <> excluded.places`,
  );
  for (const id of gone.values()) yield* run("DELETE FROM code_references WHERE id = $id", { id });
  const others = yield* all<{ id: number }>(
    `SELECT id FROM code_uploads WHERE project_id = $projectId AND id <> $uploadId
     ORDER BY uploaded_at DESC, id DESC`,
    { projectId, uploadId },
  );
  for (const { id } of others.slice(most - 1)) yield* run("DELETE FROM code_uploads WHERE id = $id", { id });
}

function* removeCode(project: string, { branch, projectName }: CodePlace): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  yield* run(
    "DELETE FROM code_uploads WHERE project_id = $projectId AND branch = $branch AND name = $projectName",
    { projectId, branch, projectName },
  );
}

type Upload = CodeUploadRecord & { id: number };

/** In the order in which they were first stored. */
function* listCodeUploads(project: string): Work<Upload[]> {
  const { id: projectId } = yield* projectRow(project);
  return yield* all(
    `SELECT id, branch, name AS "projectName", repository_url AS "repositoryUrl", commit_id AS "commit",
       uploaded_at AS "uploadedAt"
     FROM code_uploads WHERE project_id = $projectId ORDER BY id`,
    { projectId },
  );
}

function* listCodeSlugs(upload: number, after: string, limit: number): Work<string[]> {
  const rows = yield* all<{ slug: string }>(
    `SELECT DISTINCT slug FROM code_references WHERE upload_id = $upload AND slug > $after
     ORDER BY slug LIMIT $limit`,
    { upload, after, limit },
  );
  return rows.map(({ slug }) => slug);
}

/** Bytes of an answer for each that is stored: with names and addresses, and slower to make than others. */
const ANSWERED = 8;
const CUT = { columns: ["places"], bytes: MAX_PAGE_BYTES / ANSWERED };

function* pageCode(
  project: string,
  { flag, branch, projectName, limit, after: cursor }: CodeQuery,
): Work<Page<StoredCodeList>> {
  const after = readCursor(cursor);
  const uploads = (yield* listCodeUploads(project)).filter(
    (upload) =>
      upload.id >= after.upload &&
      (branch === undefined || upload.branch === branch) &&
      (projectName === undefined || upload.projectName === projectName),
  );
  const lists: StoredCodeList[] = [];
  for (const upload of uploads) {
    lists.push(...(yield* listsOf(upload, flag, upload.id === after.upload ? after : START, limit + 1)));
    const page = cutPage(
      lists,
      limit,
      (list) => list,
      ({ places }) => places.length * ANSWERED,
    );
    if (page.more) return page;
  }
  return { items: lists, more: false };
}

type Cursor = { upload: number; part: number; slug: string };

/** The lists of an upload behind a cursor; not those behind a page's worth of places. */
function* listsOf(
  { id, ...upload }: Upload,
  flag: string | undefined,
  { slug, part }: Cursor,
  limit: number,
): Work<StoredCodeList[]> {
  const values: Params = { id, slug, part, limit };
  const rows = yield* all<CodeList>(
    `SELECT slug, part, places FROM code_references
     WHERE upload_id = $id AND (slug, part) > ($slug, $part) ${flag === undefined ? "" : "AND slug = $flag"}
     ORDER BY slug, part LIMIT $limit`,
    flag === undefined ? values : { ...values, flag },
    CUT,
  );
  return rows.map((list) => ({ ...upload, ...list, cursor: `${id}.${list.part}.${list.slug}` }));
}

const START: Cursor = { upload: 0, part: -1, slug: "" };

function readCursor(text: string | undefined): Cursor {
  if (text === undefined) return START;
  const [, upload, part, slug] = /^(\d{1,15})\.(\d{1,9})\.(.+)$/.exec(text) ?? [];
  if (slug === undefined)
    throw new AppError("invalid", "after is not the cursor of a list of code references");
  return { upload: Number(upload), part: Number(part), slug };
}

/** For {@link packLists}. */
export const code = {
  reads: { uploads: listCodeUploads, slugs: listCodeSlugs, page: pageCode },
  writes: { replacePacked: replaceCode, remove: removeCode },
  weights: {
    replacePacked: (_project: string, _upload: CodeUploadRecord, packed: string) =>
      WEIGHT + packed.length * 2,
  },
};
