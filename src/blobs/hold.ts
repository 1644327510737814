import { rmSync } from "node:fs";
import { mkdir, open, rename, rm, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../base/errors.ts";
import type { Blobs } from "./blobs.ts";

/** A file whose time of change says that the process that holds is alive. */
const BEAT = "beat";
const BEAT_MS = 5000;
/** A hold without a beat for so long is that of a process that was killed. */
const DEAD_MS = 60_000;

const CHUNK = 64 * 1024;

type Holds = Pick<Blobs, "hold"> & {
  isHeld(): Promise<boolean>;
  /** How a file is removed at this moment. Asked for after the file's row is gone: a hold that comes later can do without it. */
  remover(): Promise<(key: string) => Promise<boolean>>;
};

/** Holds deleted files in a folder, where every process that deletes moves them while it is there and its holder alive. */
export function openHolds(folder: string, pathOf: (key: string) => string): Holds {
  const beat = join(folder, BEAT);
  const drop = () => rm(folder, { recursive: true, force: true });

  const isHeld = async () => {
    const found = await stat(beat).catch(ignoreMissing);
    if (!found) return false;
    if (Date.now() - found.mtimeMs < DEAD_MS) return true;
    await drop();
    return false;
  };
  /** Returns whether it was there. */
  const remove = async (key: string) => (await unlink(pathOf(key)).then(() => true, ignoreMissing)) ?? false;
  const moveAside = async (key: string) => {
    const moved = await rename(pathOf(key), join(folder, key)).then(() => true, ignoreMissing);
    // Released since, or gone before.
    return moved ?? remove(key);
  };
  async function* read(key: string): AsyncGenerator<Uint8Array> {
    const opened = await open(pathOf(key), "r").catch(ignoreMissing);
    // In this order: it moves at most once, and only this way.
    const handle = opened ?? (await open(join(folder, key), "r").catch(ignoreMissing));
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
      await drop();
      await mkdir(folder, { mode: 0o700 });
      await writeFile(beat, "", { mode: 0o600 });
      const beating = setInterval(() => {
        const now = new Date();
        // Without it files are deleted for good, which whoever reads them is told.
        utimes(beat, now, now).catch(() => undefined);
      }, BEAT_MS);
      beating.unref();
      const dropNow = () => rmSync(folder, { recursive: true, force: true });
      process.once("exit", dropNow);
      return {
        open: read,
        async release() {
          clearInterval(beating);
          process.off("exit", dropNow);
          // Under another name first, so that nothing is moved here any more.
          const gone = `${folder}-${crypto.randomUUID()}`;
          await rename(folder, gone);
          await rm(gone, { recursive: true });
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

/** For what may be gone since it was seen. */
export function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}
