import { systemCode } from "./errors.ts";
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lchownSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { MiB } from "./bytes.ts";

/** `node:fs/promises`, loaded with its first use, which most commands do without: `npm run bench -- start`. */
export const fs = () => process.getBuiltinModule("node:fs/promises");

/** Windows has no sync of a directory and refuses to open one. */
const SYNCS_DIRECTORIES = process.platform !== "win32";

/** Syncs a directory, so that the names in it survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  if (!SYNCS_DIRECTORIES) return;
  const handle = await fs().open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** As {@link syncDirectory}, blocking. */
export function syncDirectoryNow(path: string): void {
  if (!SYNCS_DIRECTORIES) return;
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Replaces a file that only its owner reads, so that a power cut leaves the old or the new one. */
export function replaceDurably(file: string, text: string): void {
  const unfinished = `${file}.new`;
  // One that a crash has left would keep its permissions.
  rmSync(unfinished, { force: true });
  const descriptor = openSync(unfinished, "wx", 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
  syncDirectoryNow(dirname(file));
}

/**
 * Free bytes on the disk, at least. Beyond: `/readyz` answers 503; for a disk of uploads alone it reports `blobs` as
 * `unavailable`.
 *
 * @public The page of limits lists it.
 */
export const MIN_FREE_BYTES = 16 * MiB;

/** Throws the error of a full disk if the disk of a directory has less than `MIN_FREE_BYTES`. */
export async function requireRoom(directory: string): Promise<void> {
  const { bavail, bsize } = await fs().statfs(directory);
  if (bavail * bsize < MIN_FREE_BYTES)
    throw Object.assign(new Error("little space is left"), { code: "ENOSPC" });
}

/** Whether a file or directory is on a disk that is mounted read-only. False for one that does not exist. */
export function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return systemCode(error) === "EROFS";
  }
}

/** Gives what root has created to the owner of a directory, whose server could not use it otherwise. */
export function giveToOwnerOf(directory: string, paths: string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  if (uid !== 0) for (const path of paths) lchownSync(path, uid, gid);
}

/** Returns undefined for the error of a missing file, and throws any other error. */
export function ignoreMissing(error: unknown): undefined {
  if (systemCode(error) !== "ENOENT") throw error;
}
