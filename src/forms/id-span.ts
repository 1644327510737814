import { firstIdOf } from "../base/ids.ts";
import type { FormsApp } from "./store.ts";
import type { SubmissionFilter } from "./submission-filter.ts";

/**
 * Milliseconds by which the time in an id may differ from the time of its submission, such as after the clock was set back.
 */
const SLACK = 3_600_000;

/** Milliseconds from now on in which no id can have been made here. */
const FUTURE = 86_400_000;

/** Ids before `first` and from `last` on; null where that says nothing. */
type IdSpan = { first: string | null; last: string | null };

const EVERY_ID: IdSpan = { first: null, last: null };

/**
 * The ids that submissions of a form from the times of a filter can have, so that a list of some day does not begin with
 * today's. A form with ids of another make, as an import may bring them, can have any.
 */
export async function idSpanOf(
  { store, now }: FormsApp,
  formKey: string,
  { states, since, until }: SubmissionFilter,
): Promise<IdSpan> {
  if (since === undefined && until === undefined) return EVERY_ID;
  const [foreign] = await store.submissions.beside(formKey, firstIdOf(now() + FUTURE), "newer", states, 1);
  if (foreign) return EVERY_ID;
  return {
    first: until === undefined ? null : firstIdOf(until + SLACK),
    last: since === undefined ? null : firstIdOf(since - SLACK),
  };
}
