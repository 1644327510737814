import { clock } from "../../base/clock.ts";
import { type FileHandle, access, constants, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Sum, sumOf } from "../../base/sum.ts";
import { requireRoom } from "../../base/directory.ts";
import type { Blobs, StagedBlob } from "../blobs.ts";
import { diskError } from "../disk-error.ts";
import { createDirectory } from "../disk.ts";
import { createFileWriters, writeAll } from "../file-writer.ts";

/** A finished file, which can be read more than once. */
export type StagedFile = Sum & {
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
};

type Staging = Pick<Blobs, "stage"> & {
  /** Finishes a file. Throws for one that was discarded. */
  fileOf(staged: StagedBlob): Promise<StagedFile>;
  /** Throws `unavailable` unless there is room for a file. */
  ready(): Promise<void>;
};

/**
 * Temporary files in a directory, which is created if it does not exist. A file loses its name as soon as it is open, so
 * that nothing of a killed process stays, and processes may share the directory. Throws `forbidden` if the directory
 * cannot be written.
 */
export function openStaging(directory: string): Staging {
  createDirectory(directory);
  const createWriter = createFileWriters();
  const handles = new WeakMap<StagedBlob, FileHandle>();
  const fail = (error: unknown): never => {
    throw diskError(error, undefined, "the folder for temporary files");
  };

  const stage = async () => {
    const path = join(directory, clock.uuid());
    const handle = await open(path, "wx+", 0o600);
    // A system that cannot remove an open file removes it when it is discarded.
    const isNameless = await rm(path).then(
      () => true,
      () => false,
    );
    const { write, finish, abandon } = createWriter((bytes) => writeAll(handle, bytes).catch(fail));
    const blob: StagedBlob = {
      write,
      finish,
      async discard() {
        abandon();
        if (!handles.delete(blob)) return;
        await handle.close();
        if (!isNameless) await rm(path, { force: true });
      },
    };
    handles.set(blob, handle);
    return blob;
  };

  return {
    stage: () => stage().catch(fail),
    async fileOf(staged) {
      const handle = handles.get(staged);
      if (!handle) throw new Error("this file was kept or discarded before");
      const sum = await staged.finish();
      return { ...sum, read: (offset, length) => readAll(handle, offset, length).catch(fail) };
    },
    async ready() {
      await access(directory, constants.W_OK).catch(fail);
      await requireRoom(directory).catch(fail);
    },
  };
}

/** A file of a disk that is not changed. */
export async function openFile(path: string): Promise<StagedFile & AsyncDisposable> {
  const handle = await open(path, "r");
  const sum = await sumOf(handle.createReadStream({ autoClose: false, start: 0 }));
  return {
    ...sum,
    read: (offset, length) => readAll(handle, offset, length),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function readAll(handle: FileHandle, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new Error("a temporary file is shorter than what was written");
    done += bytesRead;
  }
  return bytes;
}
