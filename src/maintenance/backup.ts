import { createSum, type Sum } from "../base/sum.ts";
import { AppError } from "../base/errors.ts";
import type { Blobs, StagedBlob } from "../blobs/blobs.ts";
import { shardOf } from "../blobs/key.ts";
import type { StoredFile } from "../forms/submission.ts";
import { storedFiles } from "./check.ts";
import type { Snapshot } from "./store.ts";

/** One file of an archive; its bytes are read at most once, before those of the next. */
export type ArchiveEntry = { path: string; size: number; bytes: AsyncIterable<Uint8Array> };

/** A place for the large files of a backup under way. */
export type Scratch = {
  /** Where the file of that name is made. */
  path(name: string): string;
  save(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): void;
  openSnapshot(name: string): Snapshot;
  /**
   * Copies the rows of a database that somebody else may have made into a new one with a schema of our own. Returns what
   * is wrong with the original, at most `limit` of it. Throws `unsupported` where it is not a formflag database, or a
   * newer one.
   */
  adopt(name: string, into: string, options: { name: string; limit: number }): Promise<string[]>;
};

/** What a backup is made of. */
export type BackupSource = {
  now: () => number;
  blobs: Blobs;
  /** Copies the database, as it is at one moment, into a new file. Reports about how many bytes of how many are copied. */
  snapshot(into: string, progress: (done: number, total: number) => void): Promise<void>;
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
/** The database of an archive before it is known to be sound. */
const FOREIGN = "foreign.db";
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
  source: BackupSource,
  scratch: Scratch,
  program: string,
  { progress, started }: { progress: Progress; started: (about: About) => void },
): AsyncGenerator<ArchiveEntry> {
  // Before the copy: what the copy refers to is either there or held.
  const hold = await source.blobs.hold();
  try {
    const createdAt = new Date(source.now()).toISOString();
    await source.snapshot(scratch.path(DATABASE), (done, total) => progress("database", done, total));
    const snapshot = scratch.openSnapshot(DATABASE);
    try {
      const about = { format: FORMAT, program, createdAt, ...(await snapshot.counts()) };
      started(about);
      const database = await measure(scratch.read(DATABASE));
      await scratch.save(MANIFEST, manifestOf(about, database, snapshot));
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
      for await (const file of storedFiles(snapshot.files))
        yield { path: pathOf(file), size: file.size, bytes: count(asStored(file, hold.open(file.key))) };
    } finally {
      await snapshot.close();
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
    const manifest = await readManifest(await take(entries, MANIFEST), progress);
    const { about, expected } = manifest;
    const database = await take(entries, DATABASE);
    if (
      database.size !== expected.size ||
      (await saveAs(FOREIGN, database, scratch, progress)) !== expected.sha256
    )
      return { about, problems: [`${DATABASE} has other bytes than the manifest says`] };
    const broken = await scratch.adopt(FOREIGN, DATABASE, { name: DATABASE, limit: MAX_PROBLEMS });
    scratch.remove(FOREIGN);
    if (broken.length > 0) return { about, problems: broken.map((text) => `${DATABASE}: ${text}`) };
    const snapshot = scratch.openSnapshot(DATABASE);
    try {
      const counted = await snapshot.counts();
      const rest = await compareFiles(entries, snapshot, progress, into);
      const wanted = await measure(manifestOf({ ...about, ...counted }, expected, snapshot));
      const problems =
        wanted.sha256 === manifest.sha256
          ? rest
          : [`${MANIFEST} does not list what ${DATABASE} refers to`, ...rest];
      return { about, problems };
    } finally {
      await snapshot.close();
    }
  } finally {
    await entries.return?.();
  }
}

/** Both in the order of their keys, so that neither has to be held in memory. */
async function compareFiles(
  entries: AsyncIterator<ArchiveEntry>,
  snapshot: Snapshot,
  progress: (bytes: number) => void,
  into?: Blobs,
): Promise<string[]> {
  const problems: string[] = [];
  let kept: { key: string; staged: StagedBlob }[] = [];
  let entry = await entries.next();
  const isFull = () => problems.length >= MAX_PROBLEMS;
  for await (const file of storedFiles(snapshot.files)) {
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

/** Where a file stands in an archive, which is where it stands in a data directory. */
function pathOf({ key }: StoredFile): string {
  return `uploads/${shardOf(key)}/${key}`;
}

function keyIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** JSON with one line for what the backup is, one for the database and one for each file, in pieces of some size. */
async function* manifestOf(about: About, database: Sum, snapshot: Snapshot): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (path: string, { size, sha256 }: Sum) => JSON.stringify({ path, size, sha256 });
  let text = `${JSON.stringify(about).slice(0, -1)},"entries":[\n${line(DATABASE, database)}`;
  for await (const file of storedFiles(snapshot.files)) {
    text += `,\n${line(pathOf(file), file)}`;
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}\n]}\n`);
}

type Manifest = { about: About; expected: Sum; sha256: string };

/** Keeps only its first two lines, whatever its size. Throws `unsupported`. */
async function readManifest(entry: ArchiveEntry, progress: (bytes: number) => void): Promise<Manifest> {
  let text = "";
  const decoder = new TextDecoder();
  const { sha256 } = await measure(entry.bytes, async (chunk) => {
    progress(chunk.byteLength);
    if (text.length < MAX_HEAD) text += decoder.decode(chunk.subarray(0, MAX_HEAD), { stream: true });
  });
  const lines = text.slice(0, MAX_HEAD).split("\n");
  const head = parseHead(`${lines[0]}${lines[1]?.replace(/,$/, "")}]}`);
  if (typeof head?.format === "number" && head.format > FORMAT) {
    throw new AppError("unsupported", "this backup was made by a newer formflag", {
      hint: "read it with that newer formflag",
    });
  }
  const expected = head?.entries?.[0];
  if (!head || !expected || head.format !== FORMAT || !isPlain(head))
    throw noBackup(`its ${MANIFEST} was not written by formflag`);
  const { entries: _, ...about } = head;
  return { about, expected, sha256 };
}

/** What is shown on terminals, and nothing else is known to vouch for. */
function isPlain({ program, createdAt }: About): boolean {
  return /^[\x20-\x7e]{1,200}$/.test(program) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(createdAt);
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
  return new AppError("unsupported", `this is not a formflag backup: ${why}`, {
    reason: "backup-unreadable",
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
    reason: "files-damaged",
  });
}

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

/** Returns its SHA-256. */
async function saveAs(
  name: string,
  { bytes }: ArchiveEntry,
  scratch: Scratch,
  progress: (bytes: number) => void,
): Promise<string> {
  const sum = createSum();
  const measured = async function* () {
    for await (const chunk of bytes) {
      sum.add(chunk);
      progress(chunk.byteLength);
      yield chunk;
    }
  };
  await scratch.save(name, measured());
  return sum.result().sha256;
}
