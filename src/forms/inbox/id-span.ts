import { ID_SLACK, MAX_AHEAD, endOfIds, firstIdOf } from "../../base/ids.ts";
import type { FormsApp } from "../store.ts";
import type { SubmissionFilter } from "./submission-filter.ts";

/** Ids before `first` and from `last` on; null where that says nothing. */
type IdSpan = { first: string | null; last: string | null };

const EVERY_ID: IdSpan = { first: null, last: null };

/**
 * The ids that submissions of a form from the times of a filter can have, so that a list of some day does not begin with
 * today's. They can have any where an import has brought ids of other times, or the clock was far ahead.
 */
export async function idSpanOf(
  { store: { submissions }, now }: FormsApp,
  formKey: string,
  { states, since, until }: SubmissionFilter,
): Promise<IdSpan> {
  if (since === undefined && until === undefined) return EVERY_ID;
  if (await submissions.hasForeignIds(formKey)) return EVERY_ID;
  const [ahead] = await submissions.beside(formKey, endOfIds(now()), "newer", states, 1);
  if (ahead) return EVERY_ID;
  return {
    // Behind a clock that was set back, ids go on from the time that it had.
    first: until === undefined ? null : firstIdOf(until + MAX_AHEAD),
    last: since === undefined ? null : firstIdOf(since - ID_SLACK),
  };
}
