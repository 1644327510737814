import { clock } from "../../src/base/clock.ts";
import { NAMES } from "../../src/storage.ts";
import { existsSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import type { Blobs } from "../../src/blobs/blobs.ts";
import { giveToOwnerOf, syncDirectory } from "../../src/base/directory.ts";
import { createDirectory, openDiskBlobs } from "../../src/blobs/disk.ts";
import type { Scratch } from "../../src/maintenance/archive.ts";
import { refuseClosed, refuseUnwritable } from "./access.ts";
import { lockBackup, lockData } from "./open.ts";
import { openScratch } from "./scratch.ts";
import { asideOf, finishRestore } from "./unfinished.ts";

/** Names that may be in a data directory that counts as empty. */
const IGNORED = new Set([
  NAMES.serveLock,
  NAMES.backupLock,
  NAMES.holdLock,
  NAMES.unpacked,
  NAMES.scratch,
  NAMES.backups,
  "lost+found",
]);

type Restore = AsyncDisposable & {
  scratch: Scratch;
  blobs: Blobs;
  /** Moves the unpacked data into place; returns the path that the previous data was moved to, or null. */
  finish(): Promise<string | null>;
};

/**
 * Prepares and locks a data directory for a restore. Existing data is not touched before `finish`. Throws `conflict` if
 * the directory holds data and `replace` is false, `unavailable` if it is in use.
 */
export async function prepareRestore(path: string, replace: boolean): Promise<Restore> {
  refuseClosed(path);
  refuseUnwritable(path, false);
  finishRestore(path);
  const created = createDirectory(path);
  const data = realpathSync(path);
  const isEmpty = readdirSync(data).every((name) => IGNORED.has(name));
  if (!isEmpty && !replace) {
    throw new AppError("conflict", `${path} is not empty`, {
      hint: "add --replace to rename existing data, or name another directory with --data",
    });
  }
  const unlocks = [lockData(data), lockBackup(data)];
  const unlock = () => {
    for (const each of unlocks.splice(0)) each();
  };
  const unpacked = join(data, NAMES.unpacked);
  const scratch = openScratch(unpacked);
  const blobs = openDiskBlobs(join(unpacked, NAMES.uploads));
  return {
    scratch,
    blobs,
    async finish() {
      const names = readdirSync(unpacked, { recursive: true }).map(String);
      giveToOwnerOf(data, [unpacked, ...names.map((name) => join(unpacked, name))]);
      await syncDirectory(unpacked);
      const aside = isEmpty ? null : freePath(asideOf(data, fileTime()));
      if (aside === null) {
        // The database last: without it the restore is known to be unfinished.
        for (const name of [NAMES.uploads, NAMES.database])
          renameSync(join(unpacked, name), join(data, name));
        await syncDirectory(data);
      } else replaceDirectory(data, aside);
      await syncDirectory(dirname(data));
      return aside;
    },
    async [Symbol.asyncDispose]() {
      scratch[Symbol.dispose]();
      unlock();
      if (created !== undefined) removeIfEmpty(data);
    },
  };
}

/** The current UTC time to the second, as in file names: 20270131T120000Z. */
export function fileTime(): string {
  return new Date(clock.now()).toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
}

/** The path `start` + `end`, with a number in between if it is taken: names by `fileTime` are the same within a second. */
export function freePath(start: string, end = ""): string {
  let path = start + end;
  for (let count = 2; existsSync(path); count += 1) path = `${start}-${count}${end}`;
  return path;
}

/** Renames synchronously, so that no signal is handled in between; `finishRestore` finishes what a kill cuts off. */
function replaceDirectory(data: string, aside: string): void {
  try {
    renameSync(data, aside);
  } catch (error) {
    throw new AppError("forbidden", `${data} cannot be renamed to keep it aside`, {
      hint: "it may be a mounted disk, or its parent folder not yours: restore into an empty directory with --data",
      cause: error,
    });
  }
  try {
    renameSync(join(aside, NAMES.unpacked), data);
  } catch (error) {
    renameSync(aside, data);
    throw error;
  }
}

/** Removes a directory that was created for a restore that failed. */
function removeIfEmpty(data: string): void {
  if (!readdirSync(data).every((name) => IGNORED.has(name))) return;
  rmSync(data, { recursive: true });
}
