import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import type { Blobs } from "../../src/blobs/blobs.ts";
import type { Notes } from "../../src/blobs/notes.ts";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { openS3Blobs } from "../../src/blobs/s3/bucket.ts";
import { describeDatabase } from "../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { NAMES } from "../../src/storage.ts";
import type { FilesPlace, SharedStorage } from "../../src/storage.ts";

/** How a database is opened. */
export type SharedConfig = {
  /**
   * A server, which has locked the directory, commits on a separate `thread`, a command `inline`. In a shared database a
   * command makes do with one connection.
   */
  writing: "thread" | "inline";
  /** Receives what the operator has to know of the database. */
  report?: (error: unknown) => void;
  /** Called once another server has migrated a shared database to a schema that this one does not know. */
  onNewerSchema?: () => void;
  /** Called while a shared database is the target of a move or a restore, which has begun after it was opened. */
  onMoving?: () => void;
  /** Whether a shared database may be one that a restore or a move has not finished to fill. */
  opensTarget?: boolean;
};

/** Opens a database of PostgreSQL and the place of its files. Throws as `openPostgresStore` and the openers of blobs do. */
export async function openShared(
  { database, migrate, files }: SharedStorage,
  {
    onNewerSchema = () => {},
    onMoving = () => {},
    opensTarget = false,
    report = () => {},
    writing,
  }: SharedConfig,
): Promise<Pick<App, "store" | "blobs" | "notes">> {
  const blobs = openFiles(files);
  const options = { migrate, onNewerSchema, onMoving, opensTarget, report, isSingle: writing === "inline" };
  const store = await openPostgresStore(database, options);
  return { store, blobs, notes: files.kind === "none" ? { ...store.notes, ...LEAVE } : store.notes };
}

/** The name of a place for people, without secrets. */
export function placeOf({ database, files }: SharedStorage): string {
  return files.kind === "bucket"
    ? `${describeDatabase(database)} and ${files.url.replace(/\?.*/, "")}`
    : describeDatabase(database);
}

/** Opens the place of uploaded files. Temporary ones are in the folder that `TMPDIR` names. */
function openFiles(files: FilesPlace): Blobs {
  if (files.kind === "none") return NO_FILES;
  if (files.kind === "directory") return openDiskBlobs(join(files.data, NAMES.uploads));
  return openS3Blobs({ ...files, staging: tmpdir() });
}

const refuse = async (): Promise<never> => {
  throw new AppError("unavailable", "there is no place for uploaded files", { reason: "storage-missing" });
};

/** Without a place for files every submission with one is refused, and files that another server stored are left alone. */
const NO_FILES: Blobs = {
  stage: refuse,
  keep: async (files) => (files.length > 0 ? refuse() : undefined),
  ready: async () => {},
  open: refuse,
  head: refuse,
  has: refuse,
  async *list() {},
  delete: async (keys) => (keys.length > 0 ? refuse() : []),
};

/** Only servers that reach the files remove them. */
const LEAVE: Pick<Notes, "claim"> = { claim: async () => ({ uploads: [], garbage: [] }) };
