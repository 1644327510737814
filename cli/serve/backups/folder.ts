import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { App } from "../../../src/app.ts";
import { formatBytes } from "../../../src/base/bytes.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { syncDirectory } from "../../../src/base/directory.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Backups } from "../../../src/maintenance/status.ts";
import { holdLock } from "../../../src/store/sqlite/lock.ts";
import { UNVERIFIED } from "../../data/backups.ts";

/** Names of the archives, which sort by time: other files in the folder are left alone. */
const NAME = /^formflag-auto-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;
const LEFTOVER = /^formflag-auto-\w+\.tar\.unverified$/;
const LOCK = "formflag-auto.lock";

/** Copies of the database that exist at a time beside the archive: to verify it, it is unpacked and read into another. */
const COPIES = 2;

/**
 * Adds an archive to a folder, which is created if it does not exist: `write` writes it under another name and verifies it,
 * and only then it gets its name. Returns its path. Throws `unavailable` while another server adds one, and without room.
 */
export async function addArchive(
  directory: string,
  at: number,
  app: App,
  write: (unverified: string) => Promise<void>,
): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(directory);
  const file = join(directory, `formflag-auto-${isoTime(at).slice(0, 19).replaceAll(/[-:]/g, "")}Z.tar`);
  try {
    for (const each of readdirSync(directory).filter((each) => LEFTOVER.test(each)))
      rmSync(join(directory, each), { force: true });
    await requireSpace(app, directory);
    await write(file + UNVERIFIED);
    renameSync(file + UNVERIFIED, file);
    await syncDirectory(directory);
    return file;
  } finally {
    rmSync(file + UNVERIFIED, { force: true });
    unlock();
  }
}

/** Removes all but the newest archives of a folder, of those made until `now`. */
export function removeOld(directory: string, keep: number, now: number): void {
  for (const name of archivesIn(directory, now).slice(keep)) rmSync(join(directory, name), { force: true });
}

/** The newest archive in a folder, of those made until `now`; null if there is none. */
export function newestIn(directory: string, now: number): Backups["last"] {
  const [newest] = archivesIn(directory, now);
  if (newest === undefined) return null;
  const file = join(directory, newest);
  return { at: isoTime(timeIn(newest)), file, bytes: Bun.file(file).size };
}

/** The time in the name of an archive. */
function timeIn(name: string): number {
  return Date.parse(name.replace(NAME, "$1-$2-$3T$4:$5:$6Z"));
}

/**
 * The archives in a folder that were made until `now`, newest first; none if it cannot be read. One with a later time comes
 * from a clock that was ahead: no schedule waits for it, and it is neither counted nor removed until its time has come.
 */
function archivesIn(directory: string, now: number): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile() && NAME.test(entry.name) && timeIn(entry.name) <= now)
      .map(({ name }) => name)
      .toSorted()
      .toReversed();
  } catch {
    return [];
  }
}

function lockFolder(directory: string): () => void {
  try {
    return holdLock(join(directory, LOCK));
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unavailable")) throw error;
    throw new AppError("unavailable", "another server is making a backup into this folder");
  }
}

/** Throws `unavailable` if the disk would be full before the backup is verified: nothing is deleted to make room. */
async function requireSpace({ store }: App, directory: string): Promise<void> {
  const [{ bytes }, files] = await Promise.all([store.stats(), store.submissions.fileBytes()]);
  const needed = bytes * (1 + COPIES) + files;
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed) return;
  throw new AppError(
    "unavailable",
    `the disk of the backups has ${formatBytes(bavail * bsize)} free, and a backup needs up to ${formatBytes(needed)}`,
  );
}
