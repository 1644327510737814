import { clock } from "../base/clock.ts";
import { constants, mkdirSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  fs,
  giveToOwnerOf,
  ignoreMissing,
  isOnReadOnlyDisk,
  requireRoom,
  syncDirectory,
  syncDirectoryNow,
} from "../base/directory.ts";
import { AppError } from "../base/errors.ts";
import type { Blobs, StagedBlob, Undeleted } from "./blobs.ts";
import { diskError } from "./disk-error.ts";
import { createFileWriters, writeAll } from "./file-writer.ts";
import { shardOf } from "./key.ts";

/** The subdirectory of staged files, and of notes (`disk-notes.ts`). Shards have two-character names. */
export const STAGING = "staging";
/** Files that are read or removed at the same time. */
const BATCH = 100;

/** The paths of files whose bytes were opened. */
const paths = new WeakMap<ReadableStream, string>();

/** The path of a file on this disk by its bytes, as a store has opened them; undefined for others. */
export function pathOfBytes(bytes: ReadableStream): string | undefined {
  return paths.get(bytes);
}

/**
 * The blob store in a local directory, which is created if it does not exist. A kept file is stored in one of 256
 * subdirectories, its shard, named by the two characters of its key before the dot: a submission has all files in one.
 * Throws `forbidden` if the directory cannot be written, `unavailable` if the disk is full.
 */
export function openDiskBlobs(root: string): Blobs {
  const staging = join(root, STAGING);
  if (!isOnReadOnlyDisk(root)) createDirectory(staging, root);
  const fail = (error: unknown): never => {
    throw diskError(error);
  };
  const pathOf = (key: string) => join(root, shardOf(key), key);
  /** Shards whose names survive a power cut once the promise fulfils. */
  const durableShards = new Map<string, Promise<void>>();
  const createWriter = createFileWriters();
  /** The path and the handle of each staged file. */
  const staged = new WeakMap<StagedBlob, { path: string; handle: FileHandle; isOpen: boolean }>();

  const stage = async () => {
    const path = join(staging, clock.uuid());
    const handle = await fs().open(path, "wx", 0o600);
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
        await fs().rm(path, { force: true });
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
    await fs().rename(entry.path, pathOf(key));
    staged.delete(blob);
  };

  /** Creates a shard and makes it durable; concurrent calls for one shard wait for the same sync. */
  const createShard = async (shard: string) => {
    const created = await fs().mkdir(shard, { recursive: true, mode: 0o700 });
    // An existing shard is synced once too: the process that created it may have been killed before its sync.
    if (created !== undefined || !durableShards.has(shard)) durableShards.set(shard, syncDirectory(root));
    await durableShards.get(shard);
  };

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
        await Promise.allSettled(files.map(({ key }) => fs().rm(pathOf(key), { force: true })));
        throw diskError(error);
      }
    },
    async ready() {
      await fs().access(staging, constants.W_OK).catch(fail);
      await requireRoom(staging).catch(fail);
    },
    async open(key) {
      const path = pathOf(key);
      if (!(await Bun.file(path).exists())) throw noSuchFile();
      const bytes = Bun.file(path).stream();
      paths.set(bytes, path);
      return bytes;
    },
    async head(key, length) {
      const path = pathOf(key);
      if (!(await Bun.file(path).exists())) throw noSuchFile();
      return Bun.file(path).slice(0, length).bytes();
    },
    has: (key) => Bun.file(pathOf(key)).exists(),
    async *list() {
      for (const entry of await fs().readdir(root, { withFileTypes: true })) {
        if (!entry.isDirectory() || entry.name === STAGING) continue;
        const shard = join(root, entry.name);
        const names = await fs().readdir(shard);
        for (let start = 0; start < names.length; start += BATCH)
          yield await sizesOf(shard, names.slice(start, start + BATCH));
      }
    },
    async delete(keys) {
      const shards = new Set<string>();
      const undeleted: Undeleted[] = [];
      const removeOne = async (key: string) => {
        const path = pathOf(key);
        try {
          await fs().unlink(path).catch(ignoreMissing);
          // A missing file counts too: the call that removed it may not have synced the folder yet.
          shards.add(dirname(path));
        } catch (error) {
          undeleted.push({ key, error });
        }
      };
      for (let start = 0; start < keys.length; start += BATCH)
        await Promise.all(keys.slice(start, start + BATCH).map(removeOne));
      const sync = (shard: string) => syncDirectory(shard).catch(ignoreMissing);
      await Promise.all([...shards].map(sync)).catch(fail);
      return undeleted;
    },
  };
}

/** The files of a directory that still exist, with their sizes. */
async function sizesOf(directory: string, names: string[]): Promise<{ key: string; size: number }[]> {
  const files = await Promise.all(
    names.map(async (key) => {
      const status = await fs().stat(join(directory, key)).catch(ignoreMissing);
      return status ? [{ key, size: status.size }] : [];
    }),
  );
  return files.flat();
}

function noSuchFile(): AppError {
  return new AppError("not_found", "the file is missing from the upload directory", {
    hint: "was it removed by hand, or restored without its files?",
  });
}

/**
 * Creates a directory and its missing parents, durably. Returns the topmost directory that was created, or undefined.
 * Throws `forbidden`, with `shown` as the path in the message.
 */
export function createDirectory(path: string, shown = path): string | undefined {
  try {
    const created = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (created === undefined) return created;
    const parents = parentsOf(resolve(path), resolve(created));
    for (const parent of parents) syncDirectoryNow(parent);
    giveToOwnerOf(parents.at(-1)!, [path, ...parents.slice(0, -1)]);
    return created;
  } catch (error) {
    throw diskError(error, shown);
  }
}

/** The directories above a path, up to the parent of `top`. */
function parentsOf(path: string, top: string): string[] {
  const parent = dirname(path);
  return path === top || parent === path ? [parent] : [parent, ...parentsOf(parent, top)];
}
