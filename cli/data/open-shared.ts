import { tmpdir } from "node:os";
import { join } from "node:path";
import { clock } from "../../src/base/clock.ts";
import { AppError } from "../../src/base/errors.ts";
import { type PublishedVersion, openPublished } from "../../src/base/threads/published-version.ts";
import { watchPublished } from "../../src/base/threads/watch-published.ts";
import { watchChanges } from "../../src/base/watch.ts";
import type { Blobs } from "../../src/blobs/blobs.ts";
import type { Notes } from "../../src/blobs/notes.ts";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { openS3Blobs } from "../../src/blobs/s3/bucket.ts";
import { describeDatabase } from "../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { answerCalls } from "../../src/store/postgres/threads/answers.ts";
import { type StoreLink, createCaller } from "../../src/store/postgres/threads/calls.ts";
import { openRemoteStore } from "../../src/store/postgres/threads/remote-store.ts";
import { NAMES } from "../../src/storage.ts";
import type { FilesPlace, SharedStorage } from "../../src/storage.ts";
import type { SharedClock } from "../../src/base/threads/shared-clock.ts";
import type { OpenThreads, Parts, ThreadLink } from "./parts.ts";

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
  /** Receives the end of what `report` received. */
  note?: (text: string) => void;
  /** Null for a process with one thread. */
  threads?: OpenThreads | null;
};

/** Opens a database of PostgreSQL and the place of its files. Throws as `openPostgresStore` and the openers of blobs do. */
export async function openShared(
  { database, migrate, files }: SharedStorage,
  {
    onNewerSchema = () => {},
    onMoving = () => {},
    opensTarget = false,
    report = () => {},
    note,
    threads = null,
    writing,
  }: SharedConfig,
): Promise<Parts> {
  const blobs = openFiles(files);
  const published = threads && openPublished(threads.memory.published);
  const notesOf = ({ notes }: { notes: Notes }) => (files.kind === "none" ? { ...notes, ...LEAVE } : notes);
  if (threads?.link && published) {
    const opened = openInThread(threads.link, published, threads.clock);
    return { ...opened, blobs, notes: notesOf(opened.store), join: null };
  }
  const options = {
    migrate,
    onNewerSchema,
    onMoving,
    opensTarget,
    report,
    note,
    isSingle: writing === "inline",
  };
  const store = await openPostgresStore(database, options);
  const watch = watchChanges(store, report, undefined, note, { published });
  const join = (): StoreLink => {
    const { port1, port2 } = new MessageChannel();
    answerCalls(port1, store, watch, published!);
    return { port: port2, staleness: store.staleness };
  };
  return { store, blobs, notes: notesOf(store), watch, join: published && join };
}

/** The store and the watch of the main thread, as another thread uses them. */
function openInThread(link: ThreadLink, published: PublishedVersion, shared: SharedClock) {
  if ("batch" in link) throw new Error("a link to the writer thread of a data directory");
  const caller = createCaller(link.port);
  const store = openRemoteStore(caller, link.staleness);
  const watch = watchPublished(
    published,
    link.staleness,
    { ...shared, wall: () => clock.now() },
    {
      read: (isForced) => caller.call("watch", "current", [isForced]),
      onNews: caller.onNews,
    },
  );
  return { store, watch };
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
  throw new AppError("unavailable", "storage for uploaded files is not configured", {
    reason: "storage-missing",
  });
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
