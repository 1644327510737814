import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Scratch } from "../../src/maintenance/archive.ts";
import { adoptDatabase } from "../../src/store/sqlite/copies/adopt.ts";
import { dumpSnapshot, fillSnapshot, openSnapshot } from "../../src/store/sqlite/copies/snapshot.ts";
import { diskError, writeChunks } from "./write.ts";

/**
 * Creates an empty folder for temporary files, after removing what a killed process left there. It is removed when it
 * is disposed of, and when the process is interrupted.
 */
export function openScratch(folder: string): Scratch & Disposable {
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const path = (name: string) => join(folder, name);
  remove();
  mkdirSync(folder, { mode: 0o700 });
  process.once("exit", remove);
  return {
    path,
    async save(name, bytes) {
      const handle = await open(path(name), "wx", 0o600);
      try {
        await writeChunks(handle, bytes, true);
      } catch (error) {
        throw diskError(error, `the file ${path(name)}`);
      } finally {
        await handle.close();
      }
    },
    read: (name) => createReadStream(path(name), { highWaterMark: 64 * 1024 }),
    remove: (name) => rmSync(path(name)),
    openSnapshot: (name) => openSnapshot(path(name)),
    fill: (name, dump) => fillSnapshot(path(name), dump),
    dump: (name) => dumpSnapshot(path(name)),
    adopt: (name, into, options) => adoptDatabase(path(name), path(into), options),
    [Symbol.dispose]() {
      remove();
      process.off("exit", remove);
    },
  };
}
