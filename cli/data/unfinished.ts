import { NAMES } from "../../src/storage.ts";
import { existsSync, readlinkSync, realpathSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { syncDirectoryNow } from "../../src/base/directory.ts";
import { holdLock } from "../../src/store/sqlite/lock.ts";
import { namesIn } from "./partial.ts";

/** The path where a restore keeps the data that it replaces; `time` makes it unique. */
export function asideOf(data: string, time: string): string {
  return `${data}.before-restore-${time}`;
}

/**
 * Finishes a restore that was cut off between the renames that put the verified backup in place. Throws `unavailable`
 * if the restore is still running.
 */
export function finishRestore(path: string): void {
  const data = targetOf(path);
  if (!existsSync(data)) finishReplacing(data);
  else if (!existsSync(join(data, NAMES.database))) finishMoving(data);
}

/** Throws `unsupported` if the directory does not exist but a restore has set its data aside. */
export function refuseBesideAside(path: string): void {
  const data = targetOf(path);
  const aside = existsSync(data) ? undefined : asidesOf(data).at(-1);
  if (aside === undefined) return;
  throw new AppError("unsupported", `${data} does not exist, and a restore set its data aside in ${aside}`, {
    hint: `put that back with mv ${aside} ${data}, or create a new one with mkdir -m 700 ${data}`,
  });
}

/** Finishes a restore that set the data directory itself aside, with the unpacked backup in it. */
function finishReplacing(data: string): void {
  const aside = asidesOf(data).findLast((path) => existsSync(join(path, NAMES.unpacked, NAMES.database)));
  if (aside === undefined) return;
  underLock(data, aside, () => {
    if (existsSync(data)) return;
    renameSync(join(aside, NAMES.unpacked), data);
    syncDirectoryNow(dirname(data));
  });
}

/**
 * Finishes a restore into an empty directory, where the uploads are in place, which are moved first, and the database
 * is not.
 */
function finishMoving(data: string): void {
  const [from, to] = [join(data, NAMES.unpacked), join(data, NAMES.database)];
  const isCut = () =>
    existsSync(join(from, NAMES.database)) && !existsSync(join(from, NAMES.uploads)) && !existsSync(to);
  if (!isCut()) return;
  underLock(data, data, () => {
    if (!isCut()) return;
    renameSync(join(from, NAMES.database), to);
    rmSync(from, { recursive: true });
    syncDirectoryNow(data);
  });
}

/** Runs `work` under the lock of a restore, which stays locked while its directory is renamed. */
function underLock(data: string, folder: string, work: () => void): void {
  let unlock: () => void;
  try {
    unlock = holdLock(join(folder, NAMES.backupLock));
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unavailable")) throw error;
    throw new AppError("unavailable", `a restore of ${data} is under way`, { hint: "try again in a moment" });
  }
  try {
    work();
  } finally {
    unlock();
  }
}

/** Directories that restores have set aside, the oldest first. */
function asidesOf(data: string): string[] {
  const [parent, start] = [dirname(data), basename(asideOf(data, ""))];
  const names = namesIn(parent).filter((name) => name.startsWith(start));
  return names.toSorted().map((name) => join(parent, name));
}

/** The path without symbolic links, also through a link to a path that does not exist. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    try {
      return targetOf(resolve(dirname(path), readlinkSync(path)));
    } catch {
      return resolve(path);
    }
  }
}

/** Older copies of the data that formflag made itself: of the database before migrations, and what restores set aside. */
export function olderCopies(path: string): string[] {
  const data = realpathSync(path);
  const databases = namesIn(data).filter((name) => name.startsWith(`${NAMES.database}.before-`));
  return [...databases.toSorted().map((name) => join(data, name)), ...asidesOf(data)];
}
