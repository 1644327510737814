import { clock } from "../../base/clock.ts";
import { NAMES } from "../../storage.ts";
import { existsSync, rmSync, statSync, statfsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "../../base/bytes.ts";
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

/** Numbers of statfs(2) on Linux. */
const FILE_SYSTEMS: Record<number, string> = {
  0xef53: "ext4",
  0x58465342: "XFS",
  0x9123683e: "btrfs",
  0x2fc12fc1: "ZFS",
  0xf2f52010: "F2FS",
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "SMB",
  0xfe534d42: "SMB",
  0x00c36400: "Ceph",
  0x5346414f: "AFS",
  0x65735546: "FUSE",
  0x01021997: "9p",
  0x794c7630: "overlay",
  0x01021994: "tmpfs",
  0x858458f6: "ramfs",
  0x4d44: "FAT",
  0x2011bab0: "exFAT",
};

const NETWORK =
  "it is a network file system: SQLite's locks do not hold on it, and the database can be damaged";
const SHARED = "whether locks and syncs hold on it depends on what is behind it";
const MEMORY = "it is memory: everything is lost when the machine stops";
const MODES = "it has no owners and permissions: every user of the machine may read it";

const LOCAL = "put the data directory on a disk of this machine";

/** The finding for a file system, by the type that `statfs` returns on Linux. */
export function fileSystemFinding(check: string, type: number): Finding {
  // Some runtimes return types over 2^31 as negative numbers.
  const name = FILE_SYSTEMS[type >>> 0];
  switch (name) {
    case undefined:
      return ok(check, `unknown (0x${(type >>> 0).toString(16)})`);
    case "NFS":
    case "SMB":
    case "Ceph":
    case "AFS":
      return problem(check, `${name}: ${NETWORK}`, LOCAL);
    case "FUSE":
    case "9p":
      return warning(check, `${name}: ${SHARED}`, `${LOCAL}, unless this is one`);
    case "tmpfs":
    case "ramfs":
      return warning(check, `${name}: ${MEMORY}`, LOCAL);
    case "overlay":
      return warning(
        check,
        "overlay: it is part of a container, and goes when that is removed",
        "put the data directory on a volume",
      );
    case "FAT":
    case "exFAT":
      return warning(check, `${name}: ${MODES}`, "use a file system such as ext4");
    default:
      return ok(check, name);
  }
}
