import type { Caller } from "../../access/caller.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { AppError } from "../../base/errors.ts";
import { durationInWords } from "../../base/units.ts";
import type { FormRecord } from "../form.ts";
import type { Aged, FormsApp } from "../store.ts";
import type { SubmissionState } from "../submission-state.ts";

/** Seconds. */
const DAY = 86_400;

/** Submissions that are counted in one step. */
const STEP = 500;

/** The settings for how long a form keeps submissions, with the folders that each is for. */
export const PERIODS: readonly {
  setting: "retention" | "spamRetention" | "optInWithin";
  states: readonly SubmissionState[];
  /** A submission in these folders, for sentences. */
  what: string;
}[] = [
  { setting: "retention", states: ["inbox", "archived"], what: "submission" },
  { setting: "spamRetention", states: ["spam"], what: "spam submission" },
  { setting: "optInWithin", states: ["unconfirmed"], what: "unconfirmed submission" },
];

/**
 * Describes the stored submissions that a new or shorter period would delete, as sentences without a full stop; also a period
 * below a day that would delete nothing yet, since 6 minutes may be meant as 6 months. `before` is undefined for a new form.
 */
export async function lossesOfPeriods(
  app: FormsApp,
  before: FormRecord | undefined,
  after: FormRecord,
): Promise<string[]> {
  const losses: string[] = [];
  for (const { setting, states, what } of PERIODS) {
    const [old, seconds] = [before?.[setting] ?? null, after[setting]];
    if (seconds === null || (old !== null && seconds >= old)) continue;
    const createdBefore = app.now() - seconds * 1000;
    let count = 0;
    for (const state of before ? states : [])
      count += await countAged(app, { formKey: after.key, state, createdBefore });
    if (count === 0 && seconds >= DAY) continue;
    const all = before ? await app.store.submissions.count(after.key, states) : 0;
    const kept = `form ${after.slug} would keep ${what}s for ${durationInWords(seconds)}`;
    losses.push(before ? `${kept} and delete ${count} of ${all}` : kept);
  }
  return losses;
}

/** Throws `unconfirmed` for {@link lossesOfPeriods} that the caller has not confirmed by the slug of the form. */
export async function requireConfirmedPeriods(
  app: FormsApp,
  caller: Caller,
  before: FormRecord | undefined,
  after: FormRecord,
): Promise<void> {
  if (caller.hasConfirmed(after.slug)) return;
  const losses = await lossesOfPeriods(app, before, after);
  if (losses.length === 0) return;
  throw new AppError("unconfirmed", losses.join("; "), {
    reason: "form-unconfirmed",
    hint: "confirm the change by the slug of the form, in the header X-Confirm",
  });
}

async function countAged({ store }: FormsApp, aged: Aged): Promise<number> {
  let count = 0;
  for (let after: string | null = null; ;) {
    const step: { ids: string[]; next: string | null } = await store.submissions.aged({
      ...aged,
      after,
      below: null,
      limit: STEP,
    });
    count += step.ids.length;
    if (step.next === null) return count;
    after = step.next;
    await yieldToEventLoop();
  }
}
