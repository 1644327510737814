import { NAMES } from "./names.ts";
import { readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import type { Blobs } from "../../src/blobs/blobs.ts";
import { makeDirectory, openDiskBlobs, syncDirectory } from "../../src/blobs/disk.ts";
import type { Scratch } from "../../src/maintenance/backup.ts";
import { lockBackup, lockData } from "./open.ts";
import { openScratch } from "./scratch.ts";
import { asideOf, finishRestore } from "./unfinished.ts";

/** What may stand in a data directory that holds nothing. */
const NOTHING = new Set([NAMES.serveLock, NAMES.backupLock, NAMES.unpacked, NAMES.scratch, "lost+found"]);

type Restore = AsyncDisposable & {
  scratch: Scratch;
  blobs: Blobs;
  /** Puts what was unpacked in place; returns where the data that was there is kept. */
  finish(): Promise<string | null>;
};

/**
 * Readies a data directory for what a backup holds, and locks it. Until it is finished, nothing in the directory is
 * touched. Throws `conflict` where it holds data and that is not to be replaced, `unavailable` where it is in use.
 */
export async function prepareRestore(path: string, replace: boolean): Promise<Restore> {
  finishRestore(path);
  const made = makeDirectory(path);
  const data = realpathSync(path);
  const isEmpty = readdirSync(data).every((name) => NOTHING.has(name));
  if (!isEmpty && !replace) {
    throw new AppError("conflict", `${path} is not empty`, {
      hint: "add --replace to keep what is there under another name, or name another directory with --data",
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
      await syncDirectory(unpacked);
      const aside = isEmpty ? null : asideOf(data, fileTime());
      if (aside === null) {
        // The database last: without it there is nothing yet.
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
      if (made !== undefined) removeIfEmpty(data);
    },
  };
}

/** This second, as it stands in the name of a file. */
export function fileTime(): string {
  return new Date().toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
}

/** One right after the other, so that no signal comes between them; `finishRestore` finishes what a kill cuts off. */
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

/** Takes a directory away that was made for a restore which came to nothing. */
function removeIfEmpty(data: string): void {
  if (!readdirSync(data).every((name) => NOTHING.has(name))) return;
  rmSync(data, { recursive: true });
}
