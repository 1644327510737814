import { type Sum, sumOf } from "../base/sum.ts";
import type { MaintenanceApp } from "./store.ts";
import { deleteAll } from "../blobs/blobs.ts";
import { FILE_KEY } from "../blobs/key.ts";
import type { StoredFile } from "../forms/submission.ts";

/** A problem of stored data. An orphan is an uploaded file that no submission refers to; counts are those of a form. */
export type Problem = {
  kind: "database" | "missing" | "damaged" | "orphan" | "counts";
  /** The key of the file, the slug of the form, or the name of the database. */
  what: string;
  message: string;
};

export type CheckResult = {
  /** Files of submissions that were checked. */
  files: number;
  /** Bytes that were read of these files. */
  bytes: number;
  problems: Problem[];
};

/** Files in one read of the database. */
const PAGE = 500;

type CheckOptions = {
  /** The name of the database in problems. */
  database: string;
  /** Whether every file is read, or only its size is compared. */
  reads: boolean;
};

/**
 * Checks that the database is intact, counts of submissions are correct and every file is present and unchanged, and
 * lists orphans. A server may be running: files that are added or deleted during the check are not reported. If the database
 * is damaged, files are not checked.
 */
export async function checkData(
  app: MaintenanceApp,
  progress: (done: number, total: number) => void,
  { database, reads }: CheckOptions = { database: "formflag.db", reads: true },
): Promise<CheckResult> {
  const broken = await app.store.check();
  const problems: Problem[] = broken.map((message) => ({ kind: "database", what: database, message }));
  let [files, bytes] = [0, 0];
  if (problems.length > 0) return { files, bytes, problems };

  for (const slug of await app.store.submissions.wrongCounts())
    problems.push({ kind: "counts", what: slug, message: "its submissions are not as many as are counted" });

  /** The sizes of kept files, by key. */
  const present = new Map<string, number>();
  for await (const files of app.blobs.list())
    for (const { key, size } of files) if (FILE_KEY.test(key)) present.set(key, size);

  const total = await app.store.submissions.fileBytes();
  for await (const file of storedFiles((after, limit) => app.store.submissions.files(after, limit))) {
    files += 1;
    const problem = await checkFile(app, file, { listed: present.get(file.key), reads }, (count) =>
      progress((bytes += count), total),
    );
    if (problem) problems.push(problem);
  }
  for (const key of await orphansAmong(app, [...present.keys()]))
    problems.push({ kind: "orphan", what: key, message: "no submission refers to this file" });
  return { files, bytes, problems };
}

/** Every file of every submission, by key. */
export async function* storedFiles(
  list: MaintenanceApp["store"]["submissions"]["files"],
): AsyncGenerator<StoredFile> {
  let after = "";
  for (;;) {
    const page = await list(after, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.key;
  }
}

/** Removes the orphans of a check and returns how many. No server may run, because it may be about to refer to them. */
export async function removeOrphans(app: MaintenanceApp, problems: Problem[]): Promise<number> {
  const keys = problems.filter(({ kind }) => kind === "orphan").map(({ what }) => what);
  const orphans = await orphansAmong(app, keys);
  await deleteAll(app.blobs, orphans);
  return orphans.length;
}

/** Counts submissions again if a check found wrong counts. Returns the number of problems that this solves. */
export async function correctCounts(app: MaintenanceApp, problems: Problem[]): Promise<number> {
  const wrong = problems.filter(({ kind }) => kind === "counts").length;
  if (wrong > 0) await app.store.submissions.recount();
  return wrong;
}

/** Checks a file, whose size is known if it was listed. */
async function checkFile(
  app: MaintenanceApp,
  { key, submission, name, size, sha256 }: StoredFile,
  { listed, reads }: { listed: number | undefined; reads: boolean },
  count: (bytes: number) => void,
): Promise<Problem | undefined> {
  const fault =
    listed !== undefined && listed !== size
      ? wrongSize(listed, size)
      : reads
        ? await faultOf(app, key, { size, sha256 }, count)
        : // The list does not have files that were stored after it was made.
          listed === undefined && !(await app.blobs.has(key))
          ? MISSING
          : undefined;
  // A submission that was deleted during the check has no files any more.
  if (!fault || (await app.store.submissions.find(submission)) === undefined) return undefined;
  const [kind, message] = fault;
  return { kind, what: key, message: `${name} of submission ${submission} ${message}` };
}

type Fault = [kind: "missing" | "damaged", message: string];

const MISSING: Fault = ["missing", "is not among the uploaded files"];

function wrongSize(actual: number, expected: number): Fault {
  return ["damaged", `has ${actual} bytes instead of ${expected}`];
}

async function faultOf(
  app: MaintenanceApp,
  key: string,
  { size, sha256 }: Pick<StoredFile, "size" | "sha256">,
  count: (bytes: number) => void,
): Promise<Fault | undefined> {
  let actual: Sum;
  try {
    actual = await sumOf(await app.blobs.open(key), async (chunk) => count(chunk.byteLength));
  } catch (error) {
    if (await app.blobs.has(key)) throw error;
    return MISSING;
  }
  if (actual.size !== size) return wrongSize(actual.size, size);
  if (actual.sha256 !== sha256) return ["damaged", "has other bytes than were stored"];
  return undefined;
}

/** The orphans among `keys`; files that are being stored or about to be removed are not orphans. */
async function orphansAmong(app: MaintenanceApp, keys: string[]): Promise<string[]> {
  // Notes are read first: a file is noted before it is kept, and its row exists before the note is cleared.
  const pending = new Set(await app.notes.pending());
  const unreferenced = await app.store.submissions.unreferenced(keys.filter((key) => !pending.has(key)));
  // Garbage is removed before it is forgotten, so that a file which is gone by now is no orphan.
  return presentAmong(app, unreferenced);
}

async function presentAmong(app: MaintenanceApp, keys: string[]): Promise<string[]> {
  const present = await Promise.all(keys.map((key) => app.blobs.has(key)));
  return keys.filter((_, index) => present[index]);
}
