import type { PlantedFault } from "./fault.ts";

/** Faults that show where a bucket of backups hangs, lies or dies. */
export const ARCHIVE_FAULTS: PlantedFault[] = [
  {
    name: "an archive gets its name although the bucket returns other bytes",
    file: "src/blobs/s3/archives.ts",
    from: "if (stored.size !== file.size || stored.sha256 !== file.sha256) throw lies(name);",
    to: "void stored;",
    test: "archives",
  },
  {
    name: "an archive keeps its name although the bucket has copied less",
    file: "src/blobs/s3/archives.ts",
    from: "if (!(await isSame(client, to, file))) {",
    to: "if (Number.isNaN(file.size)) {",
    test: "archives",
  },
  {
    name: "a copy that is less, and could not be removed, has lost what tells it",
    file: "src/blobs/s3/archives.ts",
    from: "const isDone = !isCopied || (await isSound().catch(() => false));",
    to: "const isDone = !isCopied || file.size >= 0;",
    test: "archives",
  },
  {
    name: "what a killed server left in the bucket of backups stays",
    file: "cli/data/archive-place.ts",
    from: "await bucket.clear((each) => each === name || (family !== undefined && each.startsWith(family)));",
    to: "void family;",
    test: "archives",
  },
];
