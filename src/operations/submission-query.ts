import type { Selection } from "../forms/inbox/bulk.ts";
import type { SubmissionFilter } from "../forms/inbox/submission-filter.ts";
import { NOT_SPAM, SUBMISSION_STATES, type SubmissionState } from "../forms/submission-state.ts";
import type { FilterQuery, SelectionBody } from "./schema/submission-query-schema.ts";

/** The selection that a body describes. */
export function selectionOf({ form, upTo, dryRun: _dryRun, unread, ...filters }: SelectionBody): Selection {
  const flag = unread === true ? ("true" as const) : undefined;
  return { form: form ?? null, upTo: upTo ?? null, filter: filterOf({ ...filters, unread: flag }) };
}

export function filterOf({ state, search, field, since, until, unread }: FilterQuery): SubmissionFilter {
  return {
    states: statesOf(state),
    search,
    fields: field?.map((each) => {
      const at = each.indexOf("=");
      return { name: each.slice(0, at), value: each.slice(at + 1) };
    }),
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    unread: unread === "true",
  };
}

function statesOf(given: FilterQuery["state"]): readonly SubmissionState[] {
  if (given === undefined) return NOT_SPAM;
  return given === "all" ? SUBMISSION_STATES : [given];
}
