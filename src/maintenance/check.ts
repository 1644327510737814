import type { App, Store } from "../app.ts";
import { FILE_KEY } from "../blobs/key.ts";
import type { StoredFile } from "../forms/submission.ts";

/** Something that is not as it was stored. An orphan is an uploaded file that no submission refers to. */
export type Problem = {
  kind: "database" | "missing" | "damaged" | "orphan";
  /** The file's key, or what of the database. */
  what: string;
  message: string;
};

export type CheckResult = {
  /** Files of submissions, and their bytes as stored. */
  files: number;
  bytes: number;
  problems: Problem[];
};

/** How many files are read from the database at a time. */
const PAGE = 500;

/** Time in which at least one more file of a form that is being deleted goes. */
const SETTLE_MS = 200;

/**
 * Looks whether the database is sound and every file is there as it was stored, and for orphans. May run beside a
 * server: what comes or goes meanwhile is no problem. Files are not looked at where the database is damaged.
 */
export async function checkData(
  app: App,
  progress: (done: number, total: number) => void,
): Promise<CheckResult> {
  const broken = await app.store.check();
  const problems: Problem[] = broken.map((message) => ({ kind: "database", what: "formflag.db", message }));
  let [files, bytes] = [0, 0];
  if (problems.length > 0) return { files, bytes, problems };

  const present: string[] = [];
  for await (const keys of app.blobs.list()) present.push(...keys.filter((key) => FILE_KEY.test(key)));

  const total = await app.store.submissions.fileBytes();
  for await (const file of storedFiles((after, limit) => app.store.submissions.files(after, limit))) {
    files += 1;
    const problem = await checkFile(app, file, (count) => progress((bytes += count), total));
    if (problem) problems.push(problem);
  }
  for (const key of await orphansAmong(app, present))
    problems.push({ kind: "orphan", what: key, message: "no submission refers to this file" });
  return { files, bytes, problems };
}

/** Every file of every submission, by key. */
export async function* storedFiles(list: Store["submissions"]["files"]): AsyncGenerator<StoredFile> {
  let after = "";
  for (;;) {
    const page = await list(after, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.key;
  }
}

/** Removes the orphans that a check found. No server may be running: it could be about to refer to them. */
export async function removeOrphans(app: App, problems: Problem[]): Promise<number> {
  const keys = problems.filter(({ kind }) => kind === "orphan").map(({ what }) => what);
  const orphans = await orphansAmong(app, keys);
  await app.blobs.delete(orphans);
  return orphans.length;
}

async function checkFile(
  app: App,
  { key, submission, name, size, sha256 }: StoredFile,
  count: (bytes: number) => void,
): Promise<Problem | undefined> {
  const fault = await faultOf(app, key, { size, sha256 }, count);
  // A submission that was deleted meanwhile took its files along.
  if (!fault || (await app.store.submissions.find(submission)) === undefined) return undefined;
  const [kind, message] = fault;
  return { kind, what: key, message: `${name} of submission ${submission} ${message}` };
}

async function faultOf(
  app: App,
  key: string,
  { size, sha256 }: Pick<StoredFile, "size" | "sha256">,
  count: (bytes: number) => void,
): Promise<[kind: "missing" | "damaged", message: string] | undefined> {
  const hash = new Bun.CryptoHasher("sha256");
  let found = 0;
  try {
    for await (const chunk of await app.blobs.open(key)) {
      hash.update(chunk);
      found += chunk.byteLength;
      count(chunk.byteLength);
    }
  } catch (error) {
    if (await app.blobs.has(key)) throw error;
    return ["missing", "is not in the upload directory"];
  }
  if (found !== size) return ["damaged", `has ${found} bytes instead of ${size}`];
  if (hash.digest("hex") !== sha256) return ["damaged", "has other bytes than were stored"];
  return undefined;
}

/** Of these keys the ones that no submission refers to, nor one that is being stored or deleted. */
async function orphansAmong(app: App, keys: string[]): Promise<string[]> {
  // In this order: a file is noted before it is kept, and its row is there before the note is gone.
  const pending = new Set(await app.blobs.pending());
  const settled = keys.filter((key) => !pending.has(key));
  const unreferenced = await app.store.submissions.unreferenced(settled);
  // And again: a deletion notes its files before their row goes, and clears the note after they are gone.
  const deleting = new Set(await app.blobs.pending());
  const loose = unreferenced.filter((key) => !deleting.has(key));
  // The files of a deleted form go one by one after its rows: orphans are those that stay.
  let orphans = await presentAmong(app, loose);
  for (let isSettled = orphans.length === 0; !isSettled;) {
    await Bun.sleep(SETTLE_MS);
    const left = await presentAmong(app, orphans);
    isSettled = left.length === orphans.length;
    orphans = left;
  }
  return orphans;
}

async function presentAmong(app: App, keys: string[]): Promise<string[]> {
  const present = await Promise.all(keys.map((key) => app.blobs.has(key)));
  return keys.filter((_, index) => present[index]);
}
