import { SYSTEM } from "../../access/audit/entry.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { firstIdOf } from "../../base/ids.ts";
import type { Job } from "../../base/jobs.ts";
import type { Page } from "../../base/pages.ts";
import type { FormRecord } from "../form.ts";
import { durationInWords } from "../../base/units.ts";
import { PERIODS } from "./keeping.ts";
import { removeFilesOf } from "./removal.ts";
import type { Aged, FormsApp } from "../store.ts";

/** Receives what was deleted of a form, for the log. */
export type ReportDeleted = (text: string) => void;

/** Submissions that are checked in one step, and at most as many are deleted in one transaction. */
const STEP = 200;
/** Forms that are read at once. */
const FORMS = 100;

/**
 * Deletes the submissions that their forms keep no longer, with their files, a step at a time. The time in an id is relied
 * on unless the pass is `complete`: it then looks at every submission, and also finds old ones with the id of another
 * time, such as imported ones.
 */
async function* deleteOld(app: FormsApp, isComplete: boolean, report: ReportDeleted): AsyncGenerator<void> {
  for (let after: FormRecord | null = null; ;) {
    const page: Page<FormRecord> = await app.store.forms.page({ projects: null, limit: FORMS, after });
    const { items, more } = page;
    for (const form of items) {
      for (const { setting, states, what } of PERIODS) {
        const seconds = form[setting];
        if (seconds === null) continue;
        const createdBefore = app.now() - seconds * 1000;
        let deleted = 0;
        for (const state of states)
          deleted += yield* deleteAged(app, { formKey: form.key, state, createdBefore }, isComplete);
        if (deleted > 0)
          report(
            `deleted ${deleted} ${what}${deleted === 1 ? "" : "s"} of form ${form.slug}, which it keeps for ${durationInWords(seconds)}`,
          );
      }
    }
    if (!more) return;
    after = items.at(-1)!;
  }
}

/** Returns how many were deleted. */
async function* deleteAged(app: FormsApp, aged: Aged, isComplete: boolean): AsyncGenerator<void, number> {
  const { submissions } = app.store;
  const below = isComplete ? null : firstIdOf(aged.createdBefore);
  let deleted = 0;
  for (let after: string | null = null; ;) {
    const { ids, next }: { ids: string[]; next: string | null } = await submissions.aged({
      ...aged,
      after,
      below,
      limit: STEP,
    });
    if (ids.length > 0) {
      const by = { who: SYSTEM, at: app.now(), type: "system" } as const;
      deleted += await submissions.deleteAged(aged, ids, by);
      await removeFilesOf(app, ids);
    }
    yield;
    if (next === null) return deleted;
    after = next;
  }
}

const HOUR_MS = 3_600_000;
/** Milliseconds between two complete passes. */
const COMPLETE_MS = 24 * HOUR_MS;
/** Longest run of the job in milliseconds, which a server that stops has to wait for. */
const RUN_MS = 1000;

/**
 * The job that deletes the submissions that their forms keep no longer: every hour, and completely at start and daily.
 * `report` gets a line for each form and period that anything was deleted for.
 */
export function retentionJob(app: FormsApp, report: ReportDeleted): Job {
  let pass: { steps: AsyncGenerator<void>; isComplete: boolean } | null = null;
  let completeAt = Number.NEGATIVE_INFINITY;
  const begin = () => {
    // The clock may have been set back since.
    const isComplete = Math.abs(app.now() - completeAt) >= COMPLETE_MS;
    return { steps: deleteOld(app, isComplete, report), isComplete };
  };
  return {
    name: "retention",
    every: HOUR_MS,
    next: async () => (pass === null ? null : app.now()),
    async run() {
      const deadline = app.now() + RUN_MS;
      const { steps, isComplete } = (pass ??= begin());
      try {
        while (!(await steps.next()).done) {
          if (app.now() >= deadline) return;
          await yieldToEventLoop();
        }
      } catch (error) {
        pass = null;
        throw error;
      }
      pass = null;
      if (isComplete) completeAt = app.now();
    },
  };
}
