import { NAMES } from "./names.ts";
import { existsSync, readlinkSync, realpathSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { syncDirectoryNow } from "../../src/blobs/disk.ts";
import { holdLock } from "../../src/store/sqlite/lock.ts";
import { namesIn } from "./partial.ts";

/** Where a restore keeps the data that it replaces; `time` tells several of them apart. */
export function asideOf(data: string, time: string): string {
  return `${data}.before-restore-${time}`;
}

/**
 * Finishes a restore that was cut off after its backup was found sound, between the renames that put it in place. Throws
 * `unavailable` where it is still under way.
 */
export function finishRestore(path: string): void {
  const data = targetOf(path);
  if (!existsSync(data)) finishReplacing(data);
  else if (!existsSync(join(data, NAMES.database))) finishMoving(data);
}

/** Throws `unsupported` for a directory that does not exist while its data was set aside by a restore. */
export function refuseBesideAside(path: string): void {
  const data = targetOf(path);
  const aside = existsSync(data) ? undefined : asidesOf(data).at(-1);
  if (aside === undefined) return;
  throw new AppError("unsupported", `${data} does not exist, and a restore set its data aside in ${aside}`, {
    hint: `put that back with mv ${aside} ${data}, or begin a new one with mkdir -m 700 ${data}`,
  });
}

/** The data directory itself was set aside, with the unpacked backup in it. */
function finishReplacing(data: string): void {
  const aside = asidesOf(data).findLast((path) => existsSync(join(path, NAMES.unpacked, NAMES.database)));
  if (aside === undefined) return;
  underLock(data, aside, () => {
    if (existsSync(data)) return;
    renameSync(join(aside, NAMES.unpacked), data);
    syncDirectoryNow(dirname(data));
  });
}

/** Of an empty directory the uploads are in place, which come first, and the database is not. */
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

/** Under the lock of a restore, which it keeps while its directory is renamed. */
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

/** What restores have set aside, the oldest first. */
function asidesOf(data: string): string[] {
  const [parent, start] = [dirname(data), basename(asideOf(data, ""))];
  const names = namesIn(parent).filter((name) => name.startsWith(start));
  return names.toSorted().map((name) => join(parent, name));
}

/** What a path stands for, also where a link leads to what does not exist. */
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
