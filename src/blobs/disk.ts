import { mkdirSync } from "node:fs";
import {
  type FileHandle,
  access,
  constants,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  statfs,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { syncDirectory, syncDirectoryNow } from "../base/directory.ts";
import { AppError } from "../base/errors.ts";
import { type Blobs, MIN_FREE_BYTES, type StagedBlob } from "./blobs.ts";
import { createFileWriters } from "./file-writer.ts";
import { noSuchFile, openHolds } from "./hold.ts";
import { shardOf } from "./key.ts";

/** The subdirectory of staged files. Shards have two-character names. */
const STAGING = "staging";
/** The suffix of notes, which are empty files in the directory of staged files. */
const NOTE = ".note";
/** The directory of deleted files that are held, inside the one of staged files. */
const HELD = "held";

/**
 * The blob store in a local directory, which is created if it does not exist. A kept file is stored in one of 256
 * subdirectories, its shard, named by the two characters of its key before the dot: a submission has all files in one.
 * Throws `forbidden` where the directory cannot be written, `unavailable` where the disk is full.
 */
export function openDiskBlobs(root: string): Blobs {
  const staging = join(root, STAGING);
  createDirectory(staging, root);
  const fail = (error: unknown): never => {
    throw diskError(error);
  };
  const pathOf = (key: string) => join(root, shardOf(key), key);
  /** Shards whose names survive a power cut once the promise fulfils. */
  const durableShards = new Map<string, Promise<void>>();
  const createWriter = createFileWriters();
  const holds = openHolds(join(staging, HELD), pathOf);
  /** The path and the handle of each staged file. */
  const staged = new WeakMap<StagedBlob, { path: string; handle: FileHandle; isOpen: boolean }>();

  const stage = async () => {
    const path = join(staging, crypto.randomUUID());
    const handle = await open(path, "wx", 0o600);
    const { write, finish, abandon } = createWriter((bytes) => writeAll(handle, bytes).catch(fail));
    const blob: StagedBlob = {
      write,
      finish,
      async discard() {
        abandon();
        const entry = staged.get(blob);
        if (!entry) return;
        staged.delete(blob);
        if (entry.isOpen) await handle.close();
        await rm(path, { force: true });
      },
    };
    staged.set(blob, { path, handle, isOpen: true });
    return blob;
  };

  const keepOne = async ({ key, staged: blob }: { key: string; staged: StagedBlob }) => {
    const entry = staged.get(blob);
    if (!entry) throw new Error("this file was kept or discarded before");
    await blob.finish();
    await entry.handle.sync();
    entry.isOpen = false;
    await entry.handle.close();
    await rename(entry.path, pathOf(key));
    staged.delete(blob);
  };

  /** Creates a shard and makes it durable; concurrent calls for one shard wait for the same sync. */
  const createShard = async (shard: string) => {
    const created = await mkdir(shard, { recursive: true, mode: 0o700 });
    // An existing shard is synced once too: the process that created it may have been killed before its sync.
    if (created !== undefined || !durableShards.has(shard)) durableShards.set(shard, syncDirectory(root));
    await durableShards.get(shard);
  };

  const readNotes = async () =>
    (await readdir(staging)).flatMap((name) => {
      const keys = notedKeys(name);
      return keys ? [{ path: join(staging, name), keys }] : [];
    });

  return {
    stage: () => stage().catch(fail),
    async keep(files) {
      try {
        const shards = [...new Set(files.map(({ key }) => dirname(pathOf(key))))];
        await Promise.all(shards.map(createShard));
        const results = await Promise.allSettled(files.map(keepOne));
        const failed = results.find((result) => result.status === "rejected");
        if (failed) throw failed.reason;
        await Promise.all(shards.map(syncDirectory));
      } catch (error) {
        for (const { key } of files) durableShards.delete(dirname(pathOf(key)));
        await Promise.allSettled(files.map(({ key }) => rm(pathOf(key), { force: true })));
        throw diskError(error);
      }
    },
    async ready() {
      await access(staging, constants.W_OK).catch(fail);
      const { bavail, bsize } = await statfs(staging);
      if (bavail * bsize < MIN_FREE_BYTES)
        fail(Object.assign(new Error("little space is left"), { code: "ENOSPC" }));
    },
    async open(key) {
      const path = pathOf(key);
      if (!(await Bun.file(path).exists())) throw noSuchFile();
      return Bun.file(path).stream();
    },
    async head(key, length) {
      const path = pathOf(key);
      if (!(await Bun.file(path).exists())) throw noSuchFile();
      return Bun.file(path).slice(0, length).bytes();
    },
    has: (key) => Bun.file(pathOf(key)).exists(),
    async *list() {
      for (const entry of await readdir(root, { withFileTypes: true })) {
        if (entry.isDirectory() && entry.name !== STAGING) yield readdir(join(root, entry.name));
      }
    },
    async delete(keys) {
      const shards = new Set<string>();
      const remove = await holds.remover();
      const removeOne = async (key: string) => {
        if (await remove(key)) shards.add(dirname(pathOf(key)));
      };
      for (let start = 0; start < keys.length; start += 100) {
        await Promise.all(keys.slice(start, start + 100).map(removeOne));
      }
      await Promise.all([...shards].map(syncDirectory)).catch(fail);
    },
    async note(id, files) {
      const path = join(staging, noteName(id, files));
      const clear = () => rm(path, { force: true });
      try {
        await (await open(path, "wx", 0o600)).close();
      } catch (error) {
        await clear();
        return fail(error);
      }
      return { clear };
    },
    pending: async () => (await readNotes()).flatMap(({ keys }) => keys),
    async recover() {
      const notes = (await readNotes()).map((note) => ({
        ...note,
        clear: () => rm(note.path, { force: true }),
      }));
      const kept = new Set(notes.map(({ path }) => path));
      if (await holds.isHeld()) kept.add(join(staging, HELD));
      for (const name of await readdir(staging)) {
        const path = join(staging, name);
        if (!kept.has(path)) await rm(path, { force: true, recursive: true });
      }
      return notes;
    },
    hold: () => holds.hold().catch(fail),
  };
}

/**
 * A note is an empty file whose name holds everything. Journaling file systems keep names in the order in which they were
 * created, so that every file which survives a power cut has its note, without a sync for the note.
 */
function noteName(id: string, files: number): string {
  return `${id}.${files}.${crypto.randomUUID()}${NOTE}`;
}

/** The keys of the note of that name; undefined for any other name. */
function notedKeys(name: string): string[] | undefined {
  const [, id, files] = /^([\w-]+)\.(\d+)\.[\w-]+\.note$/.exec(name) ?? [];
  return id === undefined
    ? undefined
    : Array.from({ length: Number(files) }, (_, index) => `${id}.${index + 1}`);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < bytes.byteLength) {
    const { bytesWritten } = await handle.write(bytes, offset, bytes.byteLength - offset);
    offset += bytesWritten;
  }
}

/**
 * Creates a directory and its missing parents, durably. Returns the topmost directory that was created, or undefined.
 * Throws `forbidden`, with `shown` as the path in the message.
 */
export function createDirectory(path: string, shown = path): string | undefined {
  try {
    const created = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (created !== undefined)
      for (const parent of parentsOf(resolve(path), resolve(created))) syncDirectoryNow(parent);
    return created;
  } catch (error) {
    throw diskError(error, shown);
  }
}

/** The directories above a path, up to the one that holds `top`. */
function parentsOf(path: string, top: string): string[] {
  const parent = dirname(path);
  return path === top || parent === path ? [parent] : [parent, ...parentsOf(parent, top)];
}

/**
 * Turns an error of the file system that an operator can resolve into an AppError, and returns any other error as it is.
 * `root` is the directory that could not be opened; without it the message names no path, because senders may see it.
 */
function diskError(error: unknown, root?: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = KNOWN[code];
  if (!known) return error;
  const [message, hint] = known;
  if (root !== undefined) return new AppError("forbidden", `${root} ${message}`, { hint, cause: error });
  return new AppError("unavailable", `the upload directory ${message}`, {
    hint,
    cause: error,
    retryAfter: 5,
  });
}

const FULL = ["cannot grow: the disk is full", "free some space and try again"] as const;
const DENIED = [
  "cannot be written",
  "check that it exists, who owns it, and whether its disk is mounted read-only",
] as const;
const BUSY = ["cannot open more files", "raise the limit of open files"] as const;
const KNOWN: Record<string, readonly [message: string, hint: string]> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: DENIED,
  ENOTDIR: DENIED,
  EEXIST: DENIED,
  EISDIR: DENIED,
  ENOENT: DENIED,
  ENOTEMPTY: DENIED,
  EMFILE: BUSY,
  ENFILE: BUSY,
  EIO: ["has a failing disk", "check the disk and the system log"],
};
