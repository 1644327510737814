import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";

const MEMORY = "/dev/shm";

/** Bytes that a whole run of the tests leaves in files at most. */
const ENOUGH = 4 * 2 ** 30;

/** The directory for files that need not survive anything: in memory if there is room, which takes a fifth of the time. */
export function fastDirectory(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
  } catch {
    return tmpdir();
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
}

/** Where files are on a disk, also while the others of a run are in memory. */
export const DISK = process.env["FORMFLAG_TEST_DISK"] ?? tmpdir();

/** A new empty directory that is removed after the test file. */
export function tempDirectory(parent = tmpdir()): string {
  const path = mkdtempSync(join(parent, "formflag-test-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
