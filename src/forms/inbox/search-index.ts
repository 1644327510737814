import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Job } from "../../base/jobs.ts";
import type { FormsApp } from "../store.ts";

/** Milliseconds between two runs of the job, and the longest run: most of the time the writer is free for new submissions. */
const POLL_MS = 1000;
const RUN_MS = 100;

/** The longest run, in milliseconds, where more submissions than that have come since the one before. */
const BUSY_RUN_MS = 20;
const MANY = 1000;

/** Writes that a search waits for, of up to 250 submissions each. */
const MAX_WAITED = 4;

/** The job that adds new submissions to the search index and removes deleted ones, without a delay for their senders. */
export function searchJob(app: Pick<FormsApp, "now" | "store">): Job {
  const { submissions } = app.store;
  let isLeft = false;
  /** Number of submissions that the last run did not index. */
  let left = 0;
  return {
    name: "search index",
    every: POLL_MS,
    next: async () => (isLeft ? app.now() + POLL_MS : null),
    async run() {
      const { missing, removals } = await submissions.indexBacklog();
      const deadline = app.now() + (missing - left > MANY ? BUSY_RUN_MS : RUN_MS);
      isLeft ||= missing > 0 || removals;
      while (isLeft && app.now() < deadline) {
        isLeft = await submissions.updateIndex();
        await yieldToEventLoop();
      }
      left = isLeft ? (await submissions.indexBacklog()).missing : 0;
    },
  };
}

/** Adds up to about a thousand new submissions to the search index. Returns how many are left, at most. */
export async function beginIndexing(app: FormsApp): Promise<number> {
  for (let count = 0; count < MAX_WAITED; count += 1) {
    const { missing } = await app.store.submissions.indexBacklog();
    if (missing === 0) return 0;
    await app.store.submissions.updateIndex();
  }
  return (await app.store.submissions.indexBacklog()).missing;
}

/** Adds every submission to the search index. */
export async function finishIndexing(app: FormsApp): Promise<void> {
  while ((await beginIndexing(app)) > 0) await yieldToEventLoop();
}

/** Removes the words of deleted submissions from the search index, until `deadline` in milliseconds since 1970. */
export async function forgetDeleted(app: FormsApp, deadline = Infinity): Promise<void> {
  while ((await app.store.submissions.indexBacklog()).removals && app.now() < deadline) {
    await app.store.submissions.updateIndex();
    await yieldToEventLoop();
  }
}
