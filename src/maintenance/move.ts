import type { Blobs } from "../blobs/blobs.ts";
import { type Digests, requireEqual } from "./digest.ts";
import type { Batch, Dump, MaintenanceApp } from "./store.ts";
import { PORTABLE_TABLES, type Stage } from "./tables.ts";
import { copyFiles } from "./move-files.ts";

/** What a run of a move did. */
export type Moved = {
  /** Submissions that the target lacked, or had in another state. */
  submissions: number;
  /** Submissions that were removed because the source no longer has them. */
  removed: number;
  /** Uploaded files that were copied, and their bytes. */
  files: number;
  bytes: number;
  /** The rows of both, by table; null for a run that is not the final one. */
  digests: Digests | null;
};

/** What is under way, and how far it is: in files, approximate bytes or rows. */
export type MoveProgress = (what: "files" | "database" | "comparison", done: number, total: number) => void;

/**
 * Brings a target closer to its source, which may be in use, and may be repeated: what the target has is not copied again.
 * With `isFinal`, no server may run on the source; the target is then equal to it, which is verified, and released to servers.
 * Nothing else may write to the target. Throws `conflict` for a target that has data of its own, and
 * where the two differ in the end, `unsupported` where a file of the source is missing or damaged.
 */
export async function moveData(
  from: MaintenanceApp,
  to: MaintenanceApp,
  { isFinal }: { isFinal: boolean },
  progress: MoveProgress,
): Promise<Moved> {
  await to.store.moving.begin();
  const removed = await removeGone(from, to);
  const copied = await copyFiles(from, to, isFinal, (done, total) => progress("files", done, total));
  const stages = createStages(from.store.dump((done, total) => progress("database", done, total)));
  await to.store.moving.replace("setup", stages.next("setup"));
  let submissions = 0;
  for await (const batch of stages.next("submissions")) submissions += await send(to, batch);
  if (isFinal) await to.store.moving.replace("trail", stages.next("trail"));
  await stages.close();
  const digests = isFinal ? await compare(from, to, progress) : null;
  if (isFinal) await to.store.moving.release();
  return { submissions, removed, ...copied, digests };
}

/** Removes the submissions of the target that the source no longer has, and their files. Returns how many. */
async function removeGone(from: MaintenanceApp, to: MaintenanceApp): Promise<number> {
  let removed = 0;
  let after: string | null = null;
  do {
    const page: { ids: string[]; next: string | null } = await to.store.moving.ids(after);
    const gone = await from.store.moving.unknown(page.ids);
    if (gone.length > 0) await removeFiles(to.blobs, await to.store.moving.remove(gone));
    removed += gone.length;
    after = page.next;
  } while (after !== null);
  return removed;
}

async function removeFiles(blobs: Blobs, keys: string[]): Promise<void> {
  if (keys.length > 0) await blobs.delete(keys);
}

/** Sends what the target lacks of a batch. Returns the number of submissions. */
async function send(to: MaintenanceApp, batch: Batch): Promise<number> {
  if (batch.table !== "submissions") {
    await to.store.moving.receive(batch);
    return 0;
  }
  const outdated = await to.store.moving.outdated(batch);
  const rows = batch.rows.filter(([id]) => outdated.has(id as string));
  if (rows.length > 0) await to.store.moving.receive({ table: batch.table, rows });
  return rows.length;
}

/** Gives the batches of a dump out by the stages of their tables, in their order. */
function createStages(dump: Dump) {
  const batches = dump[Symbol.asyncIterator]();
  let ahead: IteratorResult<Batch> | undefined;
  return {
    /** The batches of a stage; those of stages before it are skipped. */
    async *next(stage: Stage): AsyncGenerator<Batch> {
      for (;;) {
        ahead ??= await batches.next();
        if (ahead.done || PORTABLE_TABLES[ahead.value.table].stage !== stage) return;
        const batch = ahead.value;
        ahead = undefined;
        yield batch;
      }
    },
    close: async () => void (await batches.return?.()),
  };
}

/** Returns the digests of both. Throws `conflict` where they differ. */
function compare(from: MaintenanceApp, to: MaintenanceApp, progress: MoveProgress): Promise<Digests> {
  const read = ({ store }: MaintenanceApp, half: number) =>
    store.dump((done, total) => progress("comparison", done + half * total, 2 * total));
  return requireEqual(read(from, 0), read(to, 1));
}
