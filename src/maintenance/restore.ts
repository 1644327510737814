import type { Blobs } from "../blobs/blobs.ts";
import type { ArchiveEntry, Scratch } from "./archive.ts";
import { type BackupManifest, DATABASE } from "./manifest.ts";
import { readBackup } from "./backup.ts";
import { requireEqual } from "./digest.ts";
import type { DatabaseStore } from "./store.ts";

/** Target of a restore: an empty store of any database, and its files. */
type RestoreTarget = { store: Pick<DatabaseStore, "dump" | "fill" | "moving">; blobs: Blobs };

/**
 * Reads a backup like `readBackup`, with its files into the target, and fills the target's store if the backup is
 * valid. Servers may use the store after the two have been compared. Returns the manifest and the problems; if there
 * are problems, the store is still empty, and servers may use it. Throws `conflict` for a store that is not empty, and
 * `unsupported` like `readBackup`.
 */
export async function restoreBackup(
  archive: AsyncIterable<ArchiveEntry>,
  scratch: Scratch,
  target: RestoreTarget,
  progress: (bytes: number) => void,
): Promise<{ manifest: BackupManifest; problems: string[] }> {
  const { store, blobs } = target;
  const moving = await store.moving();
  await moving.begin();
  // The store stays the target of an unfinished move that has brought data.
  const giveUp = () => moving.giveUp().catch(() => {});
  const read = await readBackup(archive, scratch, progress, blobs).catch(async (error: unknown) => {
    await giveUp();
    throw error;
  });
  if (read.problems.length > 0) {
    await giveUp();
    return read;
  }
  await store.fill(scratch.dump(DATABASE));
  await requireEqual(scratch.dump(DATABASE), store.dump());
  await moving.release();
  return read;
}
