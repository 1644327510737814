import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { holdLock, isLocked } from "../../src/store/sqlite/lock.ts";

const NAME = /^formflag-[0-9a-f-]{36}\.part$/;
/** Held by the process that a folder belongs to. Not a process id, which another process has later, or in a container. */
const LOCK = "lock";
/** A folder without a lock file may be that of a process that is just creating it, for so many milliseconds. */
const YOUNG = 60_000;

/**
 * A new folder in another one for a file that is not whole yet. It is removed when it is disposed of, when the process is
 * interrupted, and by the next call for the same parent where the process was killed.
 */
export function openPartial(parent: string): { path: (name: string) => string } & Disposable {
  removeDead(parent);
  const folder = join(parent, `formflag-${crypto.randomUUID()}.part`);
  mkdirSync(folder, { mode: 0o700 });
  const unlock = holdIfPossible(join(folder, LOCK));
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

/** Some network disks have no locks; what is left there stays. */
function holdIfPossible(file: string): () => void {
  try {
    return holdLock(file);
  } catch (error) {
    if (error instanceof AppError) return () => {};
    throw error;
  }
}

function removeDead(parent: string): void {
  for (const name of namesIn(parent)) {
    const folder = join(parent, name);
    try {
      if (NAME.test(name) && isDead(folder)) rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      // It was removed meanwhile, or its disk has no locks: what cannot be told dead stays.
      if (!(error instanceof Error && (error instanceof AppError || "code" in error))) throw error;
    }
  }
}

/** What is in a folder; nothing where it is missing or may not be listed. */
export function namesIn(parent: string): string[] {
  try {
    return readdirSync(parent);
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

/** Never of what another user put there, such as a pipe in the place of the lock. */
function isDead(folder: string): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  const lock = join(folder, LOCK);
  return existsSync(lock) ? !isLocked(lock) : Date.now() - found.mtimeMs > YOUNG;
}
