import { connectAreas } from "../../src/app.ts";
import { clock } from "../../src/base/clock.ts";
import { NAMES } from "../../src/storage.ts";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../../src/base/errors.ts";
import { openVersion } from "../../src/base/threads/shared-version.ts";
import { watchChanges } from "../../src/base/watch.ts";
import { createIdSource } from "../../src/base/ids.ts";
import { createDirectory, openDiskBlobs } from "../../src/blobs/disk.ts";
import { openDiskNotes } from "../../src/blobs/disk-notes.ts";
import type { BackupSource } from "../../src/maintenance/backup.ts";
import { NotCurrent } from "../../src/store/sqlite/connection.ts";
import { garbageIn } from "../../src/store/sqlite/garbage.ts";
import { refersToFiles } from "../../src/store/sqlite/inspect.ts";
import { holdLock, holdsOf } from "../../src/store/sqlite/lock.ts";
import { type SqliteStore, type Writing, openSqliteStore } from "../../src/store/sqlite/store.ts";
import { env } from "../session/env.ts";
import type { SharedStorage } from "../../src/storage.ts";
import { refuseClosed, refuseUnwritable } from "./access.ts";
import { refuseMoved } from "./moved.ts";
import type { SharedConfig } from "./open-shared.ts";
import type { OpenApp, OpenThreads, Parts } from "./parts.ts";
import { finishRestore, refuseBesideAside } from "./unfinished.ts";

/** Location of the data, and options for opening it. */
export type OpenConfig = SharedConfig & {
  /** The data directory, which is created if it does not exist. */
  data: string;
  /** A database that is not in the data directory. */
  shared?: SharedStorage | null;
  /** Whether an older schema is left as it is, so that data which has one is refused: for a command that only reads. */
  keepsSchema?: boolean;
  /** Whether the data in the directory may be on its way to another place: for the command that moves it. */
  isMoved?: boolean;
};

/**
 * Opens the product on its data. The only place that knows the drivers. Throws `unavailable`, `forbidden` or
 * `unsupported` if the data cannot be used.
 */
export async function openApp(config: OpenConfig): Promise<OpenApp> {
  const { store, blobs, notes, watch, join } = await openParts(config);
  const random = (length: number) => clock.random(length);
  return connectAreas({
    store,
    watch,
    blobs,
    notes,
    now: () => clock.now(),
    random,
    nextId: createIdSource(random, () => clock.now()),
    onQueued: () => {},
    join,
    async [Symbol.asyncDispose]() {
      watch.close();
      await store.close();
    },
  });
}

async function openParts({ data, shared, ...more }: OpenConfig): Promise<Parts> {
  const { keepsSchema = false, isMoved, threads = null, ...options } = more;
  const { writing, report, note } = options;
  if (shared) {
    const { openShared } = await import("./open-shared.ts");
    const { migrate } = shared;
    return openShared({ ...shared, migrate: keepsSchema ? "off" : migrate }, { ...options, threads });
  }
  if (!isMoved) refuseMoved(data);
  const { file, uploads } = prepareData(data, writing === "inline");
  const blobs = openDiskBlobs(uploads);
  const store = await openStore(file, writingOf(writing, threads), { data, keepsSchema, note });
  // The other threads start once the first has cleared up what a crash left.
  const isOnly = writing === "thread" && threads?.link == null;
  const holds = holdsOf(join(data, NAMES.holdLock));
  const notes = openDiskNotes(uploads, { garbage: store.garbage, isOnly, holds });
  const version = threads && openVersion(threads.memory.version, threads.clock);
  const watch = watchChanges(store, report, undefined, note, { version });
  return { store, blobs, notes, watch, join: store.join };
}

function writingOf(writing: OpenConfig["writing"], threads: OpenThreads | null): Writing {
  if (threads === null) return writing;
  const { link, memory } = threads;
  if (link === null) return { memory: memory.writer };
  if ("batch" in link) return { link };
  throw new Error("a link to the store of a shared database");
}

/** Opens the store of a data directory. An older one is migrated first: by a command, once no server can open it. */
async function openStore(
  file: string,
  writing: Writing,
  { data, keepsSchema, note }: { data: string; keepsSchema: boolean; note: OpenConfig["note"] },
): Promise<SqliteStore> {
  try {
    return openSqliteStore(file, writing);
  } catch (error) {
    if (!(error instanceof NotCurrent)) throw error;
    const { migrateData } = await import("./migrating.ts");
    migrateData(file, data, { lock: writing === "inline" ? lockData : null, keepsSchema, note });
    return openSqliteStore(file, writing);
  }
}

/** Opens a data directory as the source of a backup, without migrating its database. Throws as `openApp` does. */
export function openSource(data: string): BackupSource {
  const { file, uploads } = prepareData(data, true);
  const blobs = openDiskBlobs(uploads);
  const holds = holdsOf(join(data, NAMES.holdLock));
  return {
    now: () => clock.now(),
    blobs,
    notes: openDiskNotes(uploads, { garbage: garbageIn(file), holds, isOnly: false }),
    // Only a backup copies what every other command opens.
    async snapshot(scratch, name, progress) {
      const { takeSnapshot } = await import("../../src/store/sqlite/copies/snapshot.ts");
      return takeSnapshot(file, scratch.path(name), progress);
    },
  };
}

/**
 * Creates the data directory if it does not exist, and locks it for a server until the returned function is called.
 * Throws as `openApp` does, and `unavailable` if another server holds the lock.
 */
export function claimData(data: string): () => void {
  refuseMoved(data);
  prepareData(data, false);
  createDirectory(data);
  return lockData(data);
}

/**
 * Checks a data directory before anything in it is opened, and finishes a restore that was cut off. `mayRead`: whether its disk
 * may be mounted read-only.
 */
function prepareData(data: string, mayRead: boolean): { file: string; uploads: string } {
  refuseClosed(data);
  refuseFollowing(data);
  finishRestore(data);
  refuseBesideAside(data);
  const [file, uploads] = [join(data, NAMES.database), join(data, NAMES.uploads)];
  refuseShared(data);
  refuseUnwritable(data, mayRead);
  refuseIncomplete(data);
  return { file, uploads };
}

/**
 * Throws `unsupported` for a data directory with a part missing, which would otherwise pass for a new one, or for one without
 * uploads. Changes nothing.
 */
export function refuseIncomplete(data: string): void {
  const [file, uploads] = [join(data, NAMES.database), join(data, NAMES.uploads)];
  if (!existsSync(file)) return;
  const { size } = statSync(file);
  // A power cut during creation leaves an empty database too, but no log and no uploads.
  if (size === 0 && (existsSync(`${file}-wal`) || hasUploads(uploads))) {
    throw new AppError("unsupported", `${file} is empty, but has held data`, {
      hint: "restore it from a backup, or move it aside to start with a new one",
    });
  }
  if (size > 0 && !existsSync(uploads) && refersToFiles(file)) {
    throw new AppError("unsupported", `${uploads} is missing, and ${file} refers to files in it`, {
      hint: `restore it from a backup, or go on without the files: mkdir -m 700 ${uploads}`,
    });
  }
}

function hasUploads(uploads: string): boolean {
  return existsSync(uploads) && readdirSync(uploads).length > 1;
}

/** Throws for the directory of a server that follows another one. */
function refuseFollowing(data: string): void {
  if (!existsSync(join(data, NAMES.spool)) || existsSync(join(data, NAMES.database))) return;
  throw new AppError("unsupported", `${data} belongs to a server that follows another one`, {
    hint: "act on that one with --server <url>",
  });
}

/** Users who can write in the directory could replace the database. */
function refuseShared(data: string): void {
  const mode = existsSync(data) ? statSync(data).mode : 0;
  if (process.platform === "win32" || (mode & 0o022) === 0 || env["FORMFLAG_SHARED_DATA"] === "1") return;
  throw new AppError("forbidden", `other users may write in the data directory ${data}`, {
    hint: `remove that permission with: chmod go-w ${data}, or set FORMFLAG_SHARED_DATA=1 to allow it`,
  });
}

/** Throws `not_found` for a directory without a database, which opening would create; `isOfService`: of an installed service. */
export function needDatabase(data: string, isOfService = false): void {
  refuseClosed(data);
  refuseFollowing(data);
  finishRestore(data);
  try {
    accessSync(join(data, NAMES.database), constants.F_OK);
  } catch (error) {
    // Any other error is reported when the directory is opened.
    if (systemCode(error) !== "ENOENT") return;
    const missing = existsSync(data)
      ? `${data} has no formflag.db`
      : `the data directory ${data} does not exist`;
    throw new AppError("not_found", missing, {
      hint: isOfService
        ? "the installed service names it, and creates it: systemctl start formflag; --data names another"
        : "name the data directory with --data, or a server with --server or FORMFLAG_SERVER; formflag serve, projects create and forms create start a new one",
    });
  }
}

/**
 * Locks the data directory, as a server does, until the returned function is called. Throws `unavailable` if a server
 * holds the lock.
 */
export function lockData(data: string): () => void {
  return lock(join(data, NAMES.serveLock), `another formflag serves the data directory ${data}`);
}

/**
 * Locks the data directory against other backups, restores and moves until the returned function is called. Throws
 * `unavailable` if one is running, and `forbidden`.
 */
export function lockBackup(data: string): () => void {
  refuseUnwritable(data, true);
  return lock(join(data, NAMES.backupLock), `another backup, restore or move of ${data} is under way`);
}

function lock(file: string, message: string): () => void {
  try {
    return holdLock(file);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unavailable")) throw error;
    throw new AppError("unavailable", message, {
      hint: "stop it first, or give this one another directory with --data",
    });
  }
}
