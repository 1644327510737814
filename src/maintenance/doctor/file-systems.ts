import { type Finding, ok, problem, warning } from "../finding.ts";

/** Numbers of statfs(2) on Linux. */
const NAMES: Record<number, string> = {
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
  const name = NAMES[type >>> 0];
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
