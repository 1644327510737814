import { clock } from "../../base/clock.ts";
import { NAMES } from "../../storage.ts";
import { existsSync, rmSync, statSync, statfsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "../../base/bytes.ts";
import { fileSystemFinding } from "./file-systems.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import { codeOf } from "./error-code.ts";

const GB = 1024 ** 3;
const LOW = { bytes: GB, share: 0.05 };
/** Less than the largest submissions of an ordinary form. */
const FULL = GB / 64;

/**
 * Checks the file system of the data directory, and of the uploads if they are on another; beside a server of this process
 * without writing to them.
 */
export async function checkDisks(data: string, { isServed = false } = {}): Promise<Finding[]> {
  const uploads = join(data, NAMES.uploads);
  const isApart = existsSync(uploads) && statSync(uploads).dev !== statSync(data).dev;
  return [
    ...(await checkDisk(data, "", isServed)),
    ...(isApart ? await checkDisk(uploads, " of uploads", isServed) : []),
  ];
}

async function checkDisk(path: string, of: string, isServed: boolean): Promise<Finding[]> {
  const { type, bsize, blocks, bavail, files, ffree } = statfsSync(path);
  return [
    ...(process.platform === "linux" ? [fileSystemFinding(`file system${of}`, type)] : []),
    spaceFinding(`disk space${of}`, bavail * bsize, blocks * bsize),
    // Some file systems create inodes on demand, and report none.
    ...(files > 0 ? [inodeFinding(`inodes${of}`, ffree, files)] : []),
    ...(isServed ? [] : [await checkSync(`fsync${of}`, path)]),
  ];
}

export function spaceFinding(check: string, free: number, total: number): Finding {
  const message = `${formatBytes(free)} of ${formatBytes(total)} free`;
  const hint = "free some space: submissions are refused while the disk is full";
  if (free < FULL) return problem(check, message, hint);
  return free < LOW.bytes || free < LOW.share * total ? warning(check, message, hint) : ok(check, message);
}

export function inodeFinding(check: string, free: number, total: number): Finding {
  const message = `${free} of ${total} free`;
  const hint = "remove files that are not needed: each uploaded file takes an inode";
  if (free === 0) return problem(check, message, hint);
  return free < LOW.share * total ? warning(check, message, hint) : ok(check, message);
}

const SYNCS = { count: 20, ms: 2000 };
/** A disk that takes longer, in milliseconds, answers few submissions a second. */
const SLOW = 50;

/** Measures how long the disk takes to sync 4 KiB, with a temporary file. */
async function checkSync(check: string, directory: string): Promise<Finding> {
  const path = join(directory, `.doctor-${clock.uuid()}`);
  let isCreated = false;
  const discard = () => {
    if (isCreated) rmSync(path, { force: true });
  };
  process.once("exit", discard);
  const times: number[] = [];
  try {
    await using file = await open(path, "wx", 0o600);
    isCreated = true;
    const block = new Uint8Array(4096);
    const deadline = clock.steady() + SYNCS.ms;
    while (times.length < SYNCS.count && clock.steady() < deadline) {
      const start = clock.steady();
      await file.write(block);
      await file.datasync();
      times.push(clock.steady() - start);
    }
  } catch (error) {
    return problem(
      check,
      `no file can be written (${codeOf(error)})`,
      "see the other findings, and the disk",
    );
  } finally {
    discard();
    process.off("exit", discard);
  }
  times.sort((a, b) => a - b);
  const [median, worst] = [times[times.length >> 1]!, times.at(-1)!];
  const message = `${median.toFixed(2)} ms, at worst ${worst.toFixed(2)} ms`;
  if (median <= SLOW) return ok(check, message);
  return warning(check, message, "every submission waits for the disk that long: use a faster one");
}
