import { rmSync } from "node:fs";
import { mkdir, open, rename, rm, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../base/errors.ts";
import type { Blobs } from "./blobs.ts";

/** The file whose modification time shows that the holding process is alive. */
const BEAT = "beat";
const BEAT_MS = 5000;
/** Milliseconds without a beat after which the holding process counts as killed. */
const DEAD_MS = 60_000;

const CHUNK = 64 * 1024;

type Holds = Pick<Blobs, "hold"> & {
  isHeld(): Promise<boolean>;
  /**
   * The way to remove files at this moment. Call it after the rows of the files are deleted: a hold that begins later does
   * not need the files.
   */
  remover(): Promise<(key: string) => Promise<boolean>>;
};

/** Holds deleted files in a directory: while its holder is alive, every process moves files there instead of deleting them. */
export function openHolds(directory: string, pathOf: (key: string) => string): Holds {
  const beat = join(directory, BEAT);
  const removeAll = () => rm(directory, { recursive: true, force: true });

  const isHeld = async () => {
    const status = await stat(beat).catch(ignoreMissing);
    if (!status) return false;
    if (Date.now() - status.mtimeMs < DEAD_MS) return true;
    await removeAll();
    return false;
  };
  /** Returns whether the file existed. */
  const remove = async (key: string) => (await unlink(pathOf(key)).then(() => true, ignoreMissing)) ?? false;
  const moveAside = async (key: string) => {
    const moved = await rename(pathOf(key), join(directory, key)).then(() => true, ignoreMissing);
    // The hold was released meanwhile, or the file did not exist.
    return moved ?? remove(key);
  };
  async function* read(key: string): AsyncGenerator<Uint8Array> {
    const opened = await open(pathOf(key), "r").catch(ignoreMissing);
    // In this order, because a file only ever moves from its shard to the held files.
    const handle = opened ?? (await open(join(directory, key), "r").catch(ignoreMissing));
    if (!handle) throw noSuchFile();
    try {
      for (;;) {
        const { bytesRead, buffer } = await handle.read(new Uint8Array(CHUNK));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  return {
    isHeld,
    remover: async () => ((await isHeld()) ? moveAside : remove),
    async hold() {
      await removeAll();
      await mkdir(directory, { mode: 0o700 });
      await writeFile(beat, "", { mode: 0o600 });
      const beating = setInterval(() => {
        const now = new Date();
        // Without a beat, other processes delete files for good, and reading them throws `not_found`.
        utimes(beat, now, now).catch(() => undefined);
      }, BEAT_MS);
      beating.unref();
      const removeAllNow = () => rmSync(directory, { recursive: true, force: true });
      process.once("exit", removeAllNow);
      return {
        open: read,
        async release() {
          clearInterval(beating);
          process.off("exit", removeAllNow);
          // Renamed first, so that no process moves files into it any more.
          const released = `${directory}-${crypto.randomUUID()}`;
          await rename(directory, released);
          await rm(released, { recursive: true });
        },
      };
    },
  };
}

export function noSuchFile(): AppError {
  return new AppError("not_found", "the file is missing from the upload directory", {
    hint: "was it removed by hand, or restored without its files?",
  });
}

/** Returns undefined for the error of a missing file, and throws any other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
