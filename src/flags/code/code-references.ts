import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { createTurns, yieldToEventLoop } from "../../base/event-loop.ts";
import type { Page } from "../../base/pages.ts";
import { noSuchProject } from "../../access/place.ts";
import {
  type CodeList,
  type CodePlace,
  type CodeReference,
  type CodeReferences,
  type CodeUpload,
  type Uploaded,
  noSuchCode,
} from "./code-reference.ts";
import { parseUpload } from "./code-upload-text.ts";
import { CODE_LIMITS } from "../limits.ts";
import type { CodeQuery, FlagsApp, StoredCodeList } from "../store.ts";

/** Slugs that one read checks or lists. */
const STEP = 1000;
/** Characters of a list of references, from which on another list is begun. */
const MAX_LIST_TEXT = 32_768;

/**
 * Replaces the code references of a project for one branch and name with those of an upload, as JSON. Beyond
 * `CODE_LIMITS.uploads`, the oldest upload of the project is removed. Throws `invalid` with the wrong field,
 * `too_large`, `not_found`, `forbidden`, `unauthenticated`.
 */
export async function uploadReferences(
  app: FlagsApp,
  caller: Caller,
  project: string,
  json: Uint8Array,
): Promise<Uploaded> {
  requireScope(caller, "flags:refs", { project });
  const { store } = app;
  if (!(await store.projects.find(project))) throw noSuchProject(project);
  const upload = await parseUpload(json);
  const lists = await listsOf(upload);
  const slugs = [...upload.references.keys()];
  const unknown: string[] = [];
  for (let start = 0; start < slugs.length; start += STEP) {
    unknown.push(...(await store.flags.missing(project, slugs.slice(start, start + STEP))));
    await yieldToEventLoop();
  }
  await caller.verify();
  const { branch, projectName, repositoryUrl, commit } = upload;
  const record = { branch, projectName, repositoryUrl, commit, uploadedAt: app.now() };
  await store.code.replace(project, record, lists, CODE_LIMITS.uploads);
  const references = [...upload.references.values()].reduce((sum, list) => sum + list.length, 0);
  return { branch, projectName, references, slugs: slugs.length, unknown };
}

/** The references of an upload as the store keeps them. */
async function listsOf({ references }: CodeUpload): Promise<CodeList[]> {
  const takeTurns = createTurns();
  const lists: CodeList[] = [];
  for (const [slug, all] of references) {
    let part = 0;
    let texts: string[] = [];
    let length = 0;
    for (const { filePath, lineNumber, lineContent } of all) {
      const text = JSON.stringify([filePath, lineNumber, lineContent]);
      if (length + text.length > MAX_LIST_TEXT && texts.length > 0) {
        lists.push({ slug, part, places: `[${texts.join(",")}]` });
        [part, texts, length] = [part + 1, [], 0];
      }
      texts.push(text);
      length += text.length;
      await takeTurns();
    }
    lists.push({ slug, part, places: `[${texts.join(",")}]` });
  }
  return lists;
}

/** A page of the code references of a project, by upload and slug. Throws `not_found`. */
export async function pageReferences(
  { store }: FlagsApp,
  project: string,
  query: CodeQuery,
): Promise<{ references: CodeReferences[]; next: string | null }> {
  const { items, more }: Page<StoredCodeList> = await store.code.page(project, query);
  return { references: items.map(viewList), next: more ? items.at(-1)!.cursor : null };
}

function viewList({
  slug,
  branch,
  projectName,
  repositoryUrl,
  commit,
  uploadedAt,
  places,
}: StoredCodeList): CodeReferences {
  const linkOf = createCodeLink(repositoryUrl, branch);
  const references = (JSON.parse(places) as [string, number, string][]).map(
    ([filePath, lineNumber, lineContent]) => {
      const reference: CodeReference = { filePath, lineNumber, lineContent };
      return { ...reference, url: linkOf(reference) };
    },
  );
  return { slug, branch, projectName, repositoryUrl, commit, uploadedAt: isoTime(uploadedAt), references };
}

/**
 * Removes the code references of a project at a branch, for one name or for all. Throws `not_found` if there are none,
 * `forbidden`, `unauthenticated`.
 */
export async function removeReferences(
  { store }: FlagsApp,
  caller: Caller,
  project: string,
  place: { branch: string; projectName?: string | undefined },
): Promise<void> {
  requireScope(caller, "flags:refs", { project });
  const uploads = (await store.code.uploads(project)).filter(
    ({ branch, projectName }) =>
      branch === place.branch && (place.projectName === undefined || projectName === place.projectName),
  );
  if (uploads.length === 0) throw noSuchCode(place);
  await caller.verify();
  // One after the other, so that other writes take their turn.
  for (const { branch, projectName } of uploads) {
    const each: CodePlace = { branch, projectName };
    await store.code.remove(project, each);
  }
}

/** The source code of a project, as far as it was uploaded. */
export type KnownCode = {
  /** The names in it that may be flags. */
  slugs: ReadonlySet<string>;
  /** When code was last uploaded, in milliseconds since 1970. */
  uploadedAt: number;
};

/** The slugs that the uploaded code of a project names; null without uploads. Throws `not_found`. */
export async function readKnownCode({ store }: FlagsApp, project: string): Promise<KnownCode | null> {
  const uploads = await store.code.uploads(project);
  if (uploads.length === 0) return null;
  const slugs = new Set<string>();
  for (const { id } of uploads) {
    let after = "";
    for (;;) {
      const step = await store.code.slugs(id, after, STEP);
      for (const slug of step) slugs.add(slug);
      await yieldToEventLoop();
      if (step.length < STEP) break;
      after = step.at(-1)!;
    }
  }
  return { slugs, uploadedAt: Math.max(...uploads.map(({ uploadedAt }) => uploadedAt)) };
}

/** How each kind of host names a line of a file, from the address of the repository on. */
const HOSTS: { host: RegExp; path: (branch: string, file: string) => string }[] = [
  { host: /(^|\.)github\./, path: (branch, file) => `/blob/${branch}/${file}` },
  { host: /(^|\.)gitlab\./, path: (branch, file) => `/-/blob/${branch}/${file}` },
  {
    host: /(^|\.)(gitea|forgejo)\.|(^|\.)codeberg\.org$/,
    path: (branch, file) => `/src/branch/${branch}/${file}`,
  },
];

/**
 * Returns a function that returns the address of the page that shows a reference; null if the host of the repository is
 * not known as GitHub, GitLab or Gitea by its name.
 */
export function createCodeLink(
  repositoryUrl: string | null,
  branch: string,
): (reference: CodeReference) => string | null {
  const url = repositoryUrl === null ? null : URL.parse(repositoryUrl);
  const known = url === null ? undefined : HOSTS.find(({ host }) => host.test(url.hostname));
  const repository = url?.pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (!known || !url || !repository || !/^\/[^/]+\/[^/]/.test(repository)) return () => null;
  const start = `${url.origin}${repository}`;
  return ({ filePath, lineNumber }) =>
    `${start}${known.path(encodePath(branch), encodePath(filePath))}#L${lineNumber}`;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
