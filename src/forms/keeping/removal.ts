import type { Job } from "../../base/jobs.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { type Undeleted, requireNone } from "../../blobs/blobs.ts";
import { idOf } from "../../blobs/key.ts";
import { type Notes, keysOf } from "../../blobs/notes.ts";
import { removalOfCancelled } from "../../delivery/settle.ts";
import type { FormsApp } from "../store.ts";

/** Submissions or files removed in one transaction, between which other writes take their turn. */
const STEP = 500;

/** Files that cannot be removed after which a sweep ends: so many are a right that is missing. */
const MAX_STUCK = 4 * STEP;

/**
 * Removes garbage, and the files of submissions that a process began to store before it ended. Files that cannot be removed
 * are left to the next sweep: the error of the first is thrown once the others are removed. Returns how many files of
 * unfinished submissions were removed.
 */
export async function sweep(app: FormsApp): Promise<number> {
  const { unfinished, undeleted } = await sweepMost(app);
  requireNone(undeleted);
  return unfinished;
}

/**
 * Sweeps after submissions were deleted. Throws if a file of theirs cannot be removed, and not for those of others, which
 * the job reports.
 */
export async function removeFilesOf(app: FormsApp, ids: readonly string[]): Promise<void> {
  const { undeleted } = await sweepMost(app);
  requireNone(ownOf(undeleted, ids));
}

function ownOf(undeleted: readonly Undeleted[], ids: readonly string[]): Undeleted[] {
  const own = new Set(ids);
  return undeleted.filter(({ key }) => own.has(idOf(key)));
}

/** As {@link sweep}, and returns the files that cannot be removed. */
async function sweepMost({ notes, blobs, store, now }: FormsApp) {
  let unfinished = 0;
  const undeleted: Undeleted[] = [];
  const stuck = new Set<string>();
  const isFree = (key: string) => !stuck.has(key);
  while (stuck.size < MAX_STUCK) {
    // Stuck notes are claimed each time and must not hide the rest.
    const claim = await notes.claim(now(), STEP + stuck.size);
    const garbage = claim.garbage.filter(isFree);
    const uploads = claim.uploads.filter((note) => keysOf(note).every(isFree));
    if (uploads.length === 0 && garbage.length === 0) break;
    const noted = uploads.flatMap(keysOf);
    // A process may have ended after the row was stored, and before it cleared the note.
    const orphans = noted.length === 0 ? [] : await store.submissions.unreferenced(noted);
    for (const each of await blobs.delete([...garbage, ...orphans])) {
      undeleted.push(each);
      stuck.add(each.key);
    }
    const removed = garbage.filter(isFree);
    if (removed.length > 0) await notes.forget(removed);
    const done = uploads.filter((note) => keysOf(note).every(isFree));
    if (done.length > 0) await notes.clear(done.map(({ id }) => id));
    unfinished += orphans.filter(isFree).length;
  }
  return { unfinished, undeleted };
}

/** Removes garbage alone: what others deleted while a backup held the files. */
export async function removeGarbage({
  notes,
  blobs,
  now,
}: Pick<FormsApp, "blobs" | "now"> & { notes: Pick<Notes, "claim" | "forget"> }): Promise<void> {
  for (;;) {
    const { garbage } = await notes.claim(now(), STEP);
    if (garbage.length === 0) return;
    const undeleted = await blobs.delete(garbage);
    const stuck = new Set(undeleted.map(({ key }) => key));
    await notes.forget(garbage.filter((key) => !stuck.has(key)));
    requireNone(undeleted);
  }
}

/** Repeats a step while it returns that more may be left, until `deadline`. Returns whether nothing is left. */
async function repeatUntil(
  { now }: FormsApp,
  deadline: number,
  step: () => Promise<boolean>,
): Promise<boolean> {
  while (await step()) {
    if (now() >= deadline) return false;
    await yieldToEventLoop();
  }
  return true;
}

/**
 * Removes the submissions and files of deleted forms, until `deadline` in milliseconds since 1970. Returns whether nothing
 * is left. Throws if one of these files cannot be removed.
 */
export async function clearDeletedForms(app: FormsApp, deadline = Infinity): Promise<boolean> {
  const own: Undeleted[] = [];
  const isDone = await repeatUntil(app, deadline, async () => {
    const ids = await app.store.submissions.clearDeleted(STEP);
    if (ids !== null) own.push(...ownOf((await sweepMost(app)).undeleted, ids));
    return ids !== null;
  });
  requireNone(own);
  return isDone;
}

/** Longest part of a removal that the caller of a deletion waits for, in milliseconds. */
export const DELETION_MS = 2000;

/** Begins to remove what a deletion has left; the job of a server, or the end of the command, removes the rest. */
export async function beginRemoval(app: FormsApp): Promise<void> {
  await clearDeletedForms(app, app.now() + DELETION_MS);
}

/** Milliseconds between two checks for deletions by other processes. */
const REMOVAL_MS = 60_000;
/** Longest run of the job in milliseconds, which a server that stops has to wait for. */
const RUN_MS = 1000;

/** A job that removes what it can in `RUN_MS`, and continues at once where more is left. */
function removalOf(app: FormsApp, name: string, remove: (deadline: number) => Promise<boolean>): Job {
  let isDone = true;
  return {
    name,
    every: REMOVAL_MS,
    next: async () => (isDone ? null : app.now()),
    async run() {
      isDone = await remove(app.now() + RUN_MS);
    },
  };
}

/**
 * The job that sweeps, and removes the submissions of deleted forms. `report` receives how many files of unfinished
 * submissions were removed, where any were.
 */
export function removalJob(app: FormsApp, report: (unfinished: number) => void = () => {}): Job {
  return removalOf(app, "removal", async (deadline) => {
    const { unfinished, undeleted } = await sweepMost(app);
    if (unfinished > 0) report(unfinished);
    const isDone = await clearDeletedForms(app, deadline);
    requireNone(undeleted);
    return isDone;
  });
}

/** The job that removes what counts for a time, such as idempotency keys and solved challenges, and ended deliveries. */
export function expiryJob(app: FormsApp): Job {
  const { submissions, deliveries } = app.store;
  return removalOf(app, "expiry", (deadline) =>
    repeatUntil(app, deadline, async () => {
      const isLeft = await submissions.clearExpired(app.now(), STEP);
      const now = app.now();
      return (await deliveries.clearEnded(now, removalOfCancelled(now), STEP)) || isLeft;
    }),
  );
}
