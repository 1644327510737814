import { AppError } from "../base/errors.ts";
import { removeGarbage } from "../forms/keeping/removal.ts";
import { type Digests, createDigest, digestOf, requireSame } from "./digest.ts";
import type { Batch, Dump, MaintenanceApp, MovingStore } from "./store.ts";
import type { Stage } from "./column.ts";
import { PORTABLE_TABLES, columnsOf } from "./tables.ts";
import { copyFiles } from "./move-files.ts";

/** The result of a run of a move. */
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

/** Reports the current step of a move, and its progress in approximate bytes. */
export type MoveProgress = (what: "files" | "database" | "comparison", done: number, total: number) => void;

type MoveOptions = {
  /** Whether what an unfinished move brought from other data may be removed. */
  replaces?: boolean;
  /** Whether this is the last run, after which servers use the target. */
  isFinal: boolean;
  /** Called once the target is known to be equal, and before servers may use it. */
  beforeRelease?: () => Promise<void>;
};

/**
 * Brings a target up to date with its source, which may be in use. Can be repeated: data in the target is not copied
 * again. Rows are copied before files, so that no file is without its row. With `isFinal`, nothing may write to the
 * source; the target is then verified to be equal and released to servers. Nothing else may write to the target. Throws
 * `conflict` for a target with its own data or, unless `replaces`, with data of another source, and if the two differ
 * at the end; `unsupported` if a file of the source is missing or damaged.
 */
export async function moveData(
  from: MaintenanceApp,
  to: MaintenanceApp,
  { replaces = false, isFinal, beforeRelease = async () => {} }: MoveOptions,
  progress: MoveProgress,
): Promise<Moved> {
  const moving = await to.store.moving();
  await moving.begin();
  if (!replaces) await requireSameOrigin(from, to);
  const before = await changesOf(from);
  const removed = await removeGone(from, to);
  const sum = createDigest();
  const dump = from.store.dump((done, total) => progress("database", done, total));
  const stages = createStages(isFinal ? watched(dump, sum.add) : dump);
  await moving.replace("setup", stages.next("setup"));
  let submissions = 0;
  for await (const batch of stages.next("submissions")) submissions += await send(moving, batch);
  if (isFinal) await moving.replace("trail", stages.next("trail"));
  await stages.close();
  const copied = await copyFiles(from, to, isFinal, (done, total) => progress("files", done, total));
  if (!isFinal) return { submissions, removed, ...copied, digests: null };
  const copy = to.store.dump((done, total) => progress("comparison", done, total));
  const digests = requireSame(sum.result(), await digestOf(copy));
  if ((await changesOf(from)) !== before)
    throw new AppError("conflict", "the data changed while it was moved", { reason: "source-changed" });
  await beforeRelease();
  await moving.release();
  return { submissions, removed, ...copied, digests };
}

/** Throws `conflict` if a target holds environments and forms, and none of them is one of the source: keys are random. */
async function requireSameOrigin(from: MaintenanceApp, to: MaintenanceApp): Promise<void> {
  const [there, own] = [await keysOf(to), new Set(await keysOf(from))];
  if (there.length === 0 || there.some((key) => own.has(key))) return;
  throw new AppError(
    "conflict",
    "the target holds what was copied from other data, which this move would remove",
    {
      reason: "target-of-another",
    },
  );
}

async function keysOf({ store }: MaintenanceApp): Promise<unknown[]> {
  const keys: unknown[] = [];
  for await (const { table, rows } of store.dump()) {
    if (PORTABLE_TABLES[table].stage !== "setup") break;
    if (table !== "environments" && table !== "forms") continue;
    const column = columnsOf(table).findIndex(([name]) => name === "key");
    for (const row of rows) keys.push(row[column]);
  }
  return keys;
}

/** A text that differs once something has changed. */
async function changesOf({ store }: MaintenanceApp): Promise<string> {
  return JSON.stringify([await store.readVersion(), await store.activity()]);
}

/** The batches of a dump, each of which `see` is given first. */
async function* watched(dump: Dump, see: (batch: Batch) => void): Dump {
  for await (const batch of dump) {
    see(batch);
    yield batch;
  }
}

/** Removes the submissions of the target that the source no longer has, and their files. Returns how many. */
async function removeGone(from: MaintenanceApp, to: MaintenanceApp): Promise<number> {
  const [source, target] = [await from.store.moving(), await to.store.moving()];
  let removed = 0;
  let after: string | null = null;
  do {
    const page: { ids: string[]; next: string | null } = await target.ids(after);
    const gone = await source.unknown(page.ids);
    if (gone.length > 0) await target.remove(gone);
    removed += gone.length;
    after = page.next;
  } while (after !== null);
  await removeGarbage(to);
  return removed;
}

/** Sends what the target lacks of a batch. Returns the number of submissions. */
async function send(target: MovingStore, batch: Batch): Promise<number> {
  if (batch.table !== "submissions") {
    await target.receive(batch);
    return 0;
  }
  const outdated = await target.outdated(batch);
  const rows = batch.rows.filter(([id]) => outdated.has(id as string));
  if (rows.length > 0) await target.receive({ table: batch.table, rows });
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
