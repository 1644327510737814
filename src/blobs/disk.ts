import { createSum } from "../base/sum.ts";
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
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
import { AppError } from "../base/errors.ts";
import { type Blobs, MIN_FREE_BYTES, type StagedBlob } from "./blobs.ts";
import { noSuchFile, openHolds } from "./hold.ts";
import { shardOf } from "./key.ts";

/** Staged files stand here until they are kept; a name that no shard has. */
const STAGING = "staging";
/** How the names of notes end, which are empty files beside the staged ones. */
const NOTE = ".note";
/** Deleted files that are held stand here, beside the staged files. */
const HELD = "held";

/**
 * The blob store in a local directory, which is made where it does not exist. A kept file stands in one of 256
 * folders named by the characters of its key before the dot, so that the files of one submission stand together.
 * Throws `forbidden` where the directory cannot be written, `unavailable` where the disk is full.
 */
export function openDiskBlobs(root: string): Blobs {
  const staging = join(root, STAGING);
  makeDirectory(staging, root);
  const fail = (error: unknown): never => {
    throw diskError(error);
  };
  const pathOf = (key: string) => join(root, shardOf(key), key);
  /** Folders whose names survive a power cut, or will once the promise fulfils. */
  const durableShards = new Map<string, Promise<void>>();
  const holds = openHolds(join(staging, HELD), pathOf);
  /** Where each staged file stands. */
  const staged = new WeakMap<StagedBlob, { path: string; handle: FileHandle; isOpen: boolean }>();

  const stage = async () => {
    const path = join(staging, crypto.randomUUID());
    const handle = await open(path, "wx", 0o600);
    const sum = createSum();
    const blob: StagedBlob = {
      async write(bytes) {
        sum.add(bytes);
        await writeAll(handle, bytes).catch(fail);
      },
      finish: async () => sum.result(),
      async discard() {
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
    await entry.handle.sync();
    entry.isOpen = false;
    await entry.handle.close();
    await rename(entry.path, pathOf(key));
    staged.delete(blob);
  };

  /** Makes the folder of a shard durable; all that keep files in it at the same time wait for the same sync. */
  const makeShard = async (shard: string) => {
    const made = await mkdir(shard, { recursive: true, mode: 0o700 });
    // Once also where it exists: the process that made it may have been killed before this.
    if (made !== undefined || !durableShards.has(shard)) durableShards.set(shard, syncDirectory(root));
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
        await Promise.all(shards.map(makeShard));
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
 * Everything stands in the name of a note: file systems with a journal keep names in the order in which they were
 * made, so that whatever is kept after a power cut has its note, without a sync of its own.
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

/** Windows has no such call for a directory, and refuses the attempt. */
const SYNCS_DIRECTORIES = process.platform !== "win32";

/**
 * Makes a directory and those above it where they do not exist, so that their names survive a power cut. Returns the
 * topmost that was made. Throws `forbidden`, about `shown`, where that cannot be done.
 */
export function makeDirectory(path: string, shown = path): string | undefined {
  try {
    const made = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (made !== undefined)
      for (const parent of parentsOf(resolve(path), resolve(made))) syncDirectoryNow(parent);
    return made;
  } catch (error) {
    throw diskError(error, shown);
  }
}

/** The directories above a path, up to the one that holds `top`. */
function parentsOf(path: string, top: string): string[] {
  const parent = dirname(path);
  return path === top || parent === path ? [parent] : [parent, ...parentsOf(parent, top)];
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  if (!SYNCS_DIRECTORIES) return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function syncDirectoryNow(path: string): void {
  if (!SYNCS_DIRECTORIES) return;
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/**
 * What an operator can do about an error of the file system, as an AppError; any other error as it is. With `root`
 * it is about opening that directory; without, senders of submissions may see the message.
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
  "check that it is there, who owns it, and whether its disk is mounted read-only",
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
