import { createSum, sumOf } from "../base/sum.ts";
import { AppError } from "../base/errors.ts";
import type { Blobs, StagedBlob } from "../blobs/blobs.ts";
import type { Notes } from "../blobs/notes.ts";
import type { StoredFile } from "../forms/submission.ts";
import type { ArchiveEntry, Scratch } from "./archive.ts";
import { storedFiles } from "./check.ts";
import {
  type BackupManifest,
  DATABASE,
  FORMAT,
  MANIFEST,
  manifestOf,
  notABackup,
  pathOf,
  readManifest,
} from "./manifest.ts";
import type { DatabaseStore, Snapshot } from "./store.ts";

/** The data that is backed up. */
export type BackupSource = {
  now: () => number;
  blobs: Blobs;
  notes: Pick<Notes, "hold" | "claim" | "forget">;
  /** Copies the database, as it is at one moment, into a new one of that name. `progress` receives approximate bytes. */
  snapshot(scratch: Scratch, name: string, progress: (done: number, total: number) => void): Promise<void>;
};

type Progress = (what: string, done: number, total: number) => void;

/** The temporary name of the database of an archive until it is checked. */
const FOREIGN = "foreign.db";
/** Problems after which reading stops. */
const MAX_PROBLEMS = 20;
/** Files that are synced together. */
const BATCH = 50;

/**
 * The entries of a backup: the manifest, the database as of one moment, and every file it refers to, in the order of
 * their keys. The server keeps accepting submissions and deletions. Throws `unsupported` if a file is missing or
 * damaged, because a backup must be complete.
 */
export async function* createBackup(
  source: BackupSource,
  scratch: Scratch,
  program: string,
  { progress, started }: { progress: Progress; started: (manifest: BackupManifest) => void },
): AsyncGenerator<ArchiveEntry> {
  // Before the copy, so that every file which the copy refers to is there until the end.
  const hold = await source.notes.hold();
  try {
    const createdAt = new Date(source.now()).toISOString();
    await source.snapshot(scratch, DATABASE, (done, total) => progress("database", done, total));
    const snapshot = scratch.openSnapshot(DATABASE);
    try {
      const manifest = { format: FORMAT, program, createdAt, ...(await snapshot.counts()) };
      started(manifest);
      const database = await sumOf(scratch.read(DATABASE));
      await scratch.save(MANIFEST, manifestOf(manifest, database, snapshot));
      const { size } = await sumOf(scratch.read(MANIFEST));
      yield { path: MANIFEST, size, bytes: scratch.read(MANIFEST) };
      const total = database.size + manifest.bytes;
      let done = 0;
      const count = async function* (bytes: AsyncIterable<Uint8Array>) {
        for await (const chunk of bytes) {
          yield chunk;
          progress("archive", (done += chunk.byteLength), total);
        }
      };
      yield { path: DATABASE, size: database.size, bytes: count(scratch.read(DATABASE)) };
      for await (const file of storedFiles(snapshot.files))
        yield {
          path: pathOf(file),
          size: file.size,
          bytes: count(asStored(file, bytesOf(source.blobs, file))),
        };
    } finally {
      await snapshot.close();
    }
  } finally {
    await hold.release();
  }
}

/** The way to copy a store of any database. A SQLite file has a faster one, which does not migrate it. */
export function snapshotOf(store: Pick<DatabaseStore, "dump">): BackupSource["snapshot"] {
  return (scratch, name, progress) => scratch.fill(name, store.dump(progress));
}

/**
 * Reads a backup once and compares each entry with its manifest and database. With `into`, stores its files there.
 * Returns the manifest and the problems as messages; if there are problems, do not use the stored files. Throws
 * `unsupported` for an archive that is not a backup, or has a newer format.
 */
export async function readBackup(
  archive: AsyncIterable<ArchiveEntry>,
  scratch: Scratch,
  progress: (bytes: number) => void,
  into?: Blobs,
): Promise<{ manifest: BackupManifest; problems: string[] }> {
  const entries = archive[Symbol.asyncIterator]();
  try {
    const head = await readManifest(await nextEntry(entries, MANIFEST), progress);
    const { manifest, expected } = head;
    const database = await nextEntry(entries, DATABASE);
    if (
      database.size !== expected.size ||
      (await saveAs(FOREIGN, database, scratch, progress)) !== expected.sha256
    )
      return { manifest, problems: [`${DATABASE} has other bytes than the manifest says`] };
    const damage = await scratch.adopt(FOREIGN, DATABASE, { name: DATABASE, limit: MAX_PROBLEMS });
    scratch.remove(FOREIGN);
    if (damage.length > 0) return { manifest, problems: damage.map((text) => `${DATABASE}: ${text}`) };
    const snapshot = scratch.openSnapshot(DATABASE);
    try {
      const counted = await snapshot.counts();
      const rest = await compareFiles(entries, snapshot, progress, into);
      const wanted = await sumOf(manifestOf({ ...manifest, ...counted }, expected, snapshot));
      const problems =
        wanted.sha256 === head.sha256
          ? rest
          : [`${MANIFEST} does not list what ${DATABASE} refers to`, ...rest];
      return { manifest, problems };
    } finally {
      await snapshot.close();
    }
  } finally {
    await entries.return?.();
  }
}

/** Compares entries with files, both in the order of their keys, so that neither list has to fit in memory. */
async function compareFiles(
  entries: AsyncIterator<ArchiveEntry>,
  snapshot: Snapshot,
  progress: (bytes: number) => void,
  into?: Blobs,
): Promise<string[]> {
  const problems: string[] = [];
  let staging: { key: string; staged: StagedBlob }[] = [];
  const isFull = () => problems.length >= MAX_PROBLEMS;
  const unknown = ({ path }: ArchiveEntry) =>
    void problems.push(`${path} is nothing that ${DATABASE} refers to`);
  try {
    let entry = await entries.next();
    for await (const file of storedFiles(snapshot.files)) {
      const path = pathOf(file);
      // Entries with a smaller key belong to no file.
      for (; !entry.done && keyIn(entry.value.path) < file.key && !isFull(); entry = await entries.next())
        unknown(entry.value);
      if (isFull()) break;
      if (entry.done || entry.value.path !== path) {
        problems.push(`${path} is missing: ${file.name} of submission ${file.submission}`);
        continue;
      }
      const staged = await into?.stage();
      if (staged) staging.push({ key: file.key, staged });
      const sum = await sumOf(entry.value.bytes, async (chunk) => {
        progress(chunk.byteLength);
        await staged?.write(chunk);
      });
      if (sum.size !== file.size || sum.sha256 !== file.sha256)
        problems.push(`${path} has other bytes than were stored`);
      if (into && staging.length >= BATCH) {
        await into.keep(staging);
        staging = [];
      }
      entry = await entries.next();
    }
    await into?.keep(staging);
    for (; !entry.done && !isFull(); entry = await entries.next()) unknown(entry.value);
    return problems;
  } catch (error) {
    await Promise.all(staging.map(({ staged }) => staged.discard()));
    throw error;
  }
}

function keyIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function nextEntry(entries: AsyncIterator<ArchiveEntry>, path: string): Promise<ArchiveEntry> {
  const { done, value } = await entries.next();
  if (done || value.path !== path) throw notABackup(`${path} is not where it should be`);
  return value;
}

async function* bytesOf(blobs: Blobs, { key }: StoredFile): AsyncGenerator<Uint8Array> {
  yield* await blobs.open(key);
}

/** The bytes of an uploaded file. Throws `unsupported` if they differ from what was stored. */
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

/** The error of a file that is not as its row says. */
export function notAsStored({ key, name, submission }: StoredFile, what: string): AppError {
  return new AppError("unsupported", `the file ${key} ${what}: ${name} of submission ${submission}`, {
    reason: "files-damaged",
  });
}

/** Saves an entry under a name and returns its SHA-256. */
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
