import type { App } from "./app.ts";
import { shardOf, type Blobs, type StagedBlob } from "./blobs.ts";
import { KEY, storedFiles, type StoredFile } from "./check.ts";
import { AppError } from "./errors.ts";
import type { Store } from "./store.ts";

/** One file of an archive; its bytes are read at most once, before those of the next. */
export type ArchiveEntry = { path: string; size: number; bytes: AsyncIterable<Uint8Array> };

/** A place for the large files of a backup under way. */
export type Scratch = {
  /** Where the file of that name is made. */
  path(name: string): string;
  save(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): AsyncIterable<Uint8Array>;
  /** Opens a database that stands there; `unsupported` where it is none of ours. */
  openStore(name: string): Store;
};

/** What a backup says about itself: the first line of its manifest. */
export type About = {
  format: number;
  program: string;
  createdAt: string;
  submissions: number;
  /** Uploaded files, and their bytes. */
  files: number;
  bytes: number;
};

type Progress = (what: string, done: number, total: number) => void;

/** Of the archive: a newer one cannot be read. */
const FORMAT = 1;
const MANIFEST = "manifest.json";
const DATABASE = "formflag.db";
/** Problems after which a reader looks no further. */
const MAX_PROBLEMS = 20;
/** The first two lines of a manifest stand within so many bytes. */
const MAX_HEAD = 4096;
/** Characters of a manifest that are written at a time. */
const PIECE = 64 * 1024;
/** Files that are made durable together. */
const BATCH = 50;

/**
 * The entries of a backup: the manifest, a database as it is at one moment, and every file it refers to, in the order
 * of their keys. Submissions and deletes go on meanwhile. Throws `unsupported` where a file is not as it was stored: a
 * backup is whole, or there is none.
 */
export async function* createBackup(
  app: App,
  scratch: Scratch,
  program: string,
  { progress, started }: { progress: Progress; started: (about: About) => void },
): AsyncGenerator<ArchiveEntry> {
  // Before the copy: what the copy refers to is either there or held.
  const hold = await app.blobs.hold();
  try {
    const createdAt = new Date(app.now()).toISOString();
    await app.store.snapshot(scratch.path(DATABASE), (done, total) => progress("database", done, total));
    const store = scratch.openStore(DATABASE);
    try {
      const about = {
        format: FORMAT,
        program,
        createdAt,
        ...(await countAll(store)),
      };
      started(about);
      const database = await measure(scratch.read(DATABASE));
      await scratch.save(MANIFEST, manifestOf(about, database, store));
      const { size } = await measure(scratch.read(MANIFEST));
      yield { path: MANIFEST, size, bytes: scratch.read(MANIFEST) };
      const total = database.size + about.bytes;
      let done = 0;
      const count = async function* (bytes: AsyncIterable<Uint8Array>) {
        for await (const chunk of bytes) {
          yield chunk;
          progress("archive", (done += chunk.byteLength), total);
        }
      };
      yield { path: DATABASE, size: database.size, bytes: count(scratch.read(DATABASE)) };
      for await (const file of storedFiles(store))
        yield { path: pathOf(file), size: file.size, bytes: count(asStored(file, hold.open(file.key))) };
    } finally {
      await store.close();
    }
  } finally {
    await hold.release();
  }
}

/**
 * Reads a backup once and compares each part with the manifest and the database in it. With `into`, its files are kept
 * there. Returns what it says about itself and what is wrong, in words; where there is any, what was kept is of no use.
 * Throws `unsupported` for an archive that is no backup, or not one that this program reads.
 */
export async function readBackup(
  archive: AsyncIterable<ArchiveEntry>,
  scratch: Scratch,
  progress: (bytes: number) => void,
  into?: Blobs,
): Promise<{ about: About; problems: string[] }> {
  const entries = archive[Symbol.asyncIterator]();
  try {
    const manifest = await saveEntry(scratch, await take(entries, MANIFEST), progress);
    const database = await saveEntry(scratch, await take(entries, DATABASE), progress);
    const { about, expected } = await readHead(scratch);
    if (expected.size !== database.size || expected.sha256 !== database.sha256)
      return { about, problems: [`${DATABASE} has other bytes than the manifest says`] };
    const store = scratch.openStore(DATABASE);
    try {
      const counted = await countAll(store).catch((error: unknown) => {
        if (error instanceof AppError) throw error;
        throw noBackup(`its ${DATABASE} lacks what formflag keeps in one`, error);
      });
      const broken = await store.check();
      if (broken.length > 0)
        return { about, problems: broken.slice(0, MAX_PROBLEMS).map((text) => `${DATABASE}: ${text}`) };
      const rest = await compareFiles(entries, store, progress, into);
      const wanted = await measure(manifestOf({ ...about, ...counted }, database, store));
      const problems =
        wanted.sha256 === manifest.sha256
          ? rest
          : [`${MANIFEST} does not list what ${DATABASE} refers to`, ...rest];
      return { about, problems };
    } finally {
      await store.close();
    }
  } finally {
    await entries.return?.();
  }
}

/** Both in the order of their keys, so that neither has to be held in memory. */
async function compareFiles(
  entries: AsyncIterator<ArchiveEntry>,
  store: Store,
  progress: (bytes: number) => void,
  into?: Blobs,
): Promise<string[]> {
  const problems: string[] = [];
  let kept: { key: string; staged: StagedBlob }[] = [];
  let entry = await entries.next();
  const isFull = () => problems.length >= MAX_PROBLEMS;
  for await (const file of storedFiles(store)) {
    if (!KEY.test(file.key))
      throw new AppError("unsupported", `${DATABASE} names a file as formflag never does`);
    const path = pathOf(file);
    // What comes before it belongs to none.
    while (!entry.done && keyIn(entry.value.path) < file.key && !isFull()) {
      problems.push(`${entry.value.path} is nothing that ${DATABASE} refers to`);
      entry = await entries.next();
    }
    if (isFull()) break;
    if (entry.done || entry.value.path !== path) {
      problems.push(`${path} is missing: ${file.name} of submission ${file.submission}`);
      continue;
    }
    const staged = await into?.stage();
    const found = await measure(entry.value.bytes, async (chunk) => {
      progress(chunk.byteLength);
      await staged?.write(chunk);
    });
    if (found.size !== file.size || found.sha256 !== file.sha256)
      problems.push(`${path} has other bytes than were stored`);
    if (staged) kept.push({ key: file.key, staged });
    if (into && kept.length >= BATCH) {
      await into.keep(kept);
      kept = [];
    }
    entry = await entries.next();
  }
  await into?.keep(kept);
  for (; !entry.done && !isFull(); entry = await entries.next())
    problems.push(`${entry.value.path} is nothing that ${DATABASE} refers to`);
  return problems;
}

async function countAll(store: Store): Promise<Pick<About, "submissions" | "files" | "bytes">> {
  const counts = await Promise.all((await store.forms.list()).map(({ key }) => store.submissions.count(key)));
  let files = 0;
  for await (const _ of storedFiles(store)) files += 1;
  return {
    submissions: counts.reduce((sum, count) => sum + count, 0),
    files,
    bytes: await store.submissions.fileBytes(),
  };
}

/** Where a file stands in an archive, which is where it stands in a data directory. */
function pathOf({ key }: StoredFile): string {
  return `uploads/${shardOf(key)}/${key}`;
}

function keyIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** JSON with one line for what the backup is, one for the database and one for each file, in pieces of some size. */
async function* manifestOf(about: About, database: Sum, store: Store): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (path: string, { size, sha256 }: Sum) => JSON.stringify({ path, size, sha256 });
  let text = `${JSON.stringify(about).slice(0, -1)},"entries":[\n${line(DATABASE, database)}`;
  for await (const file of storedFiles(store)) {
    text += `,\n${line(pathOf(file), file)}`;
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}\n]}\n`);
}

/** The first two lines of a manifest. Throws `unsupported`. */
async function readHead(scratch: Scratch): Promise<{ about: About; expected: Sum }> {
  const lines = await headOf(scratch.read(MANIFEST));
  const head = parseHead(`${lines[0]}${lines[1]?.replace(/,$/, "")}]}`);
  if (typeof head?.format === "number" && head.format > FORMAT) {
    throw new AppError("unsupported", "this backup was made by a newer formflag", {
      hint: "read it with that newer formflag",
    });
  }
  const expected = head?.entries?.[0];
  if (!head || !expected || head.format !== FORMAT) throw noBackup(`its ${MANIFEST} is none of formflag's`);
  const { entries: _, ...about } = head;
  return { about, expected };
}

async function headOf(bytes: AsyncIterable<Uint8Array>): Promise<string[]> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_HEAD) break;
  }
  return text.slice(0, MAX_HEAD).split("\n");
}

function parseHead(text: string): (About & { entries?: (Sum | null)[] }) | null {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function take(entries: AsyncIterator<ArchiveEntry>, path: string): Promise<ArchiveEntry> {
  const { done, value } = await entries.next();
  if (done || value.path !== path) throw noBackup(`${path} is not where it should be`);
  return value;
}

function noBackup(why: string, cause?: unknown): AppError {
  return new AppError("unsupported", `this is no backup of formflag: ${why}`, {
    hint: "formflag backup create makes one",
    cause,
  });
}

/** The bytes of a file of a submission. Throws `unsupported` where they are not what was stored. */
async function* asStored(file: StoredFile, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const sum = createSum();
  try {
    for await (const chunk of bytes) {
      sum.add(chunk);
      if (sum.size() > file.size) break;
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") throw notAsStored(file, "is missing");
    throw error;
  }
  const { size, sha256 } = sum.result();
  if (size !== file.size || sha256 !== file.sha256)
    throw notAsStored(file, "has other bytes than were stored");
}

function notAsStored({ key, name, submission }: StoredFile, what: string): AppError {
  return new AppError("unsupported", `the file ${key} ${what}: ${name} of submission ${submission}`, {
    hint: "formflag check finds all such files; a backup can be made once they are put back, or their submissions deleted",
  });
}

type Sum = { size: number; sha256: string };

async function measure(
  bytes: AsyncIterable<Uint8Array>,
  each?: (chunk: Uint8Array) => Promise<void>,
): Promise<Sum> {
  const sum = createSum();
  for await (const chunk of bytes) {
    sum.add(chunk);
    await each?.(chunk);
  }
  return sum.result();
}

async function saveEntry(
  scratch: Scratch,
  { path, bytes }: ArchiveEntry,
  progress: (bytes: number) => void,
): Promise<Sum> {
  const sum = createSum();
  const measured = async function* () {
    for await (const chunk of bytes) {
      sum.add(chunk);
      progress(chunk.byteLength);
      yield chunk;
    }
  };
  await scratch.save(path, measured());
  return sum.result();
}

function createSum() {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  return {
    add(chunk: Uint8Array) {
      hash.update(chunk);
      size += chunk.byteLength;
    },
    size: () => size,
    result: (): Sum => ({ size, sha256: hash.digest("hex") }),
  };
}
