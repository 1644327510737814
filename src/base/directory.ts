import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Windows has no sync of a directory and refuses to open one. */
const SYNCS_DIRECTORIES = process.platform !== "win32";

/** Syncs a directory, so that the names in it survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  if (!SYNCS_DIRECTORIES) return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** As {@link syncDirectory}, blocking. */
export function syncDirectoryNow(path: string): void {
  if (!SYNCS_DIRECTORIES) return;
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
