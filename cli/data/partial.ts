import { clock } from "../../src/base/clock.ts";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { holdLock, isLocked } from "../../src/store/sqlite/lock.ts";

/** A folder is called `new` until its owner has locked it. */
const NAME = /^formflag-[0-9a-f-]{36}\.(part|new)$/;
/**
 * Locked by the process that owns a folder. A process id would not do: ids are reused, and differ between containers.
 */
const LOCK = "lock";
/** A folder that is new, or has no lock, counts as abandoned after this many milliseconds. */
const YOUNG = 60_000;

/**
 * Creates a folder in `parent` for an unfinished file. The folder is removed when it is disposed of, when the process
 * is interrupted and, after the process was killed, by the next call for the same parent.
 */
export function openPartial(parent: string): { path: (name: string) => string } & Disposable {
  removeAbandoned(parent);
  const name = join(parent, `formflag-${clock.uuid()}`);
  const [fresh, folder] = [`${name}.new`, `${name}.part`];
  mkdirSync(fresh, { mode: 0o700 });
  const unlock = holdIfPossible(join(fresh, LOCK));
  // Others take a folder of this name whose lock is not held for one that was abandoned.
  renameSync(fresh, folder);
  const remove = () => {
    unlock();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return {
    path: (name) => join(folder, name),
    [Symbol.dispose]() {
      remove();
      process.off("exit", remove);
    },
  };
}

/** Some network disks have no locks: an abandoned folder stays there. */
function holdIfPossible(file: string): () => void {
  try {
    return holdLock(file);
  } catch (error) {
    if (error instanceof AppError) return () => {};
    throw error;
  }
}

function removeAbandoned(parent: string): void {
  for (const name of namesIn(parent)) {
    const folder = join(parent, name);
    try {
      if (NAME.test(name) && isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      // Removed by another process, or on a disk without locks: a folder stays unless it is known to be abandoned.
      if (!(error instanceof Error && (error instanceof AppError || "code" in error))) throw error;
    }
  }
}

/** The names in a folder; empty if it is missing or cannot be listed. */
export function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

/** False for folders of other users, who could put a pipe in place of the lock. */
function isAbandoned(folder: string): boolean {
  const status = lstatSync(folder);
  if (!status.isDirectory() || status.uid !== (process.getuid?.() ?? status.uid)) return false;
  const lock = join(folder, LOCK);
  const isReady = folder.endsWith(".part") && existsSync(lock);
  return isReady ? !isLocked(lock) : clock.now() - status.mtimeMs > YOUNG;
}
