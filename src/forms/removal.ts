import type { Job } from "../base/jobs.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import type { FormsApp } from "./store.ts";

/** Submissions that one transaction deletes: others write between two of them. */
const STEP = 500;

/** Removes the files that no submission needs any more. What fails stays recorded, and is tried with the next call. */
export async function removeLooseFiles({ store, blobs }: FormsApp): Promise<void> {
  for (;;) {
    const keys = await store.submissions.looseFiles(STEP);
    if (keys.length === 0) return;
    await blobs.delete(keys);
    await store.submissions.forgetLooseFiles(keys);
  }
}

/**
 * Removes what deleted forms have left, until `deadline` in milliseconds since 1970. Returns whether all of it is gone.
 */
export async function clearDeletedForms(app: FormsApp, deadline = Infinity): Promise<boolean> {
  while (await app.store.submissions.clearDeleted(STEP)) {
    await removeLooseFiles(app);
    if (app.now() >= deadline) return false;
    await yieldToEventLoop();
  }
  return true;
}

/** How often a server looks for what other processes have deleted, in milliseconds. */
const REMOVAL_MS = 60_000;
/** How long one run of the job takes at most, so that a server that stops does not wait for all of it. */
const RUN_MS = 1000;

/** The job of a server that removes the files and submissions that nothing needs any more. */
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
