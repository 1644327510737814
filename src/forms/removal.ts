import type { Job } from "../base/jobs.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import type { FormsApp } from "./store.ts";

/** Submissions or files removed in one transaction, between which other writes take their turn. */
const STEP = 500;

/** Removes loose files, which belong to no submission any more. Files that cannot be removed stay recorded for the next call. */
export async function removeLooseFiles({ store, blobs }: FormsApp): Promise<void> {
  for (;;) {
    const keys = await store.submissions.looseFiles(STEP);
    if (keys.length === 0) return;
    await blobs.delete(keys);
    await store.submissions.forgetLooseFiles(keys);
  }
}

/**
 * Removes the submissions and files of deleted forms, until `deadline` in milliseconds since 1970. Returns whether nothing
 * is left.
 */
export async function clearDeletedForms(app: FormsApp, deadline = Infinity): Promise<boolean> {
  while (await app.store.submissions.clearDeleted(STEP)) {
    await removeLooseFiles(app);
    if (app.now() >= deadline) return false;
    await yieldToEventLoop();
  }
  return true;
}

/** Longest part of a removal that the caller of a deletion waits for, in milliseconds. */
const DELETION_MS = 2000;

/** Begins to remove what a deletion has left; the job of a server, or the end of the command, removes the rest. */
export async function beginRemoval(app: FormsApp): Promise<void> {
  await clearDeletedForms(app, app.now() + DELETION_MS);
}

/**
 * Removes idempotency keys, solved challenges and hashes of contents that have expired, until `deadline` in milliseconds
 * since 1970. Returns whether nothing is left.
 */
async function clearExpired({ store, now }: FormsApp, deadline: number): Promise<boolean> {
  while (await store.submissions.clearExpired(now(), STEP)) {
    if (now() >= deadline) return false;
    await yieldToEventLoop();
  }
  return true;
}

/** The job that removes what has expired. */
export function expiryJob(app: FormsApp): Job {
  let isDone = true;
  return {
    name: "expiry",
    every: REMOVAL_MS,
    next: async () => (isDone ? null : app.now()),
    async run() {
      isDone = await clearExpired(app, app.now() + RUN_MS);
    },
  };
}

/** Milliseconds between two checks for deletions by other processes. */
const REMOVAL_MS = 60_000;
/** Longest run of the job in milliseconds, which a server that stops has to wait for. */
const RUN_MS = 1000;

/** The job that removes loose files, and the submissions of deleted forms. */
export function removalJob(app: FormsApp): Job {
  let isDone = true;
  return {
    name: "removal",
    every: REMOVAL_MS,
    next: async () => (isDone ? null : app.now()),
    async run() {
      await removeLooseFiles(app);
      isDone = await clearDeletedForms(app, app.now() + RUN_MS);
    },
  };
}
