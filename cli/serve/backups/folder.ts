import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { App } from "../../../src/app.ts";
import { formatBytes } from "../../../src/base/bytes.ts";
import { syncDirectory } from "../../../src/base/directory.ts";
import { AppError } from "../../../src/base/errors.ts";
import { holdLock } from "../../../src/store/sqlite/lock.ts";
import { type FoundArchive, sortArchives } from "../../data/archive-names.ts";
import { UNVERIFIED } from "../../data/backups.ts";
import { type Keep, outdated } from "./keep.ts";

const LEFTOVER = /^formflag-auto-\w+\.tar(?:\.age)?\.unverified$/;
const LOCK = "formflag-auto.lock";

/** Copies of the database that exist at a time beside the archive: to verify it, it is unpacked and read into another. */
const COPIES = 2;

/**
 * Adds an archive to a folder, which is created if it does not exist: `write` writes it under another name and verifies it,
 * and only then it gets its name. Returns its path. Throws `unavailable` while another server adds one, and without room.
 */
export async function addArchive(
  directory: string,
  name: string,
  app: App,
  write: (unverified: string) => Promise<void>,
): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(directory);
  const file = join(directory, name);
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

/** Removes the archives of a folder that are not kept, of those made until `now`. */
export function removeOld(directory: string, keep: Keep, now: number): void {
  for (const { name } of outdated(archivesIn(directory, now), keep))
    rmSync(join(directory, name), { force: true });
}

/** The newest archive that a server made in a folder, of those made until `now`, or null. */
export function newestIn(directory: string, now: number): FoundArchive | null {
  return archivesIn(directory, now)[0] ?? null;
}

/** The archives of servers in a folder that were made until `now`, newest first; none if it cannot be read. */
function archivesIn(directory: string, now: number): FoundArchive[] {
  try {
    const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
    return automaticOf(
      files.map(({ name }) => ({
        name,
        at: 0,
        bytes: statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0,
      })),
      now,
    );
  } catch {
    return [];
  }
}

/**
 * The archives that servers made until `now`, the newest first: other files are left alone. One with a later time comes from a clock
 * that was ahead: no schedule waits for it, and it is neither counted nor removed until its time has come.
 */
export function automaticOf(files: Parameters<typeof sortArchives>[0], now: number): FoundArchive[] {
  return sortArchives(files).filter(({ isAutomatic, at }) => isAutomatic && at <= now);
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
export async function requireSpace({ store }: App, directory: string): Promise<void> {
  const [{ bytes }, files] = await Promise.all([store.stats(), store.submissions.fileBytes()]);
  const needed = bytes * (1 + COPIES) + files;
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed) return;
  throw new AppError(
    "unavailable",
    `the disk of the backups has ${formatBytes(bavail * bsize)} free, and a backup needs up to ${formatBytes(needed)}`,
  );
}
