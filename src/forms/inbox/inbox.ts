import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { KiB } from "../../base/bytes.ts";
import { mergeForms } from "../transfer/merge.ts";
import { beginIndexing } from "./search-index.ts";
import type { FormsApp } from "../store.ts";
import { type FilteredPage, listSubmissions, stepsOf } from "./submission-list.ts";
import { type SubmissionFilter, searchOf } from "./submission-filter.ts";

/** Bytes of one step of a form: many forms may each wait with one. */
const STEP_BYTES = 64 * KiB;

type InboxQuery = {
  /** The slug or key of a form; null for all of them. */
  form: string | null;
  limit: number;
  before: string | null;
  filter: SubmissionFilter;
};

/**
 * A page of the submissions of one form or of all forms that a filter selects, newest first. All forms have no total. Throws
 * as {@link listSubmissions}, and `forbidden`.
 */
export async function listInbox(
  app: FormsApp,
  caller: Caller,
  { form, limit, before, filter }: InboxQuery,
): Promise<FilteredPage> {
  requireScope(caller, "forms:read");
  if (form !== null) return listSubmissions(app, form, { limit, before, filter });
  const indexing = searchOf(filter) === null ? 0 : await beginIndexing(app);
  const { states } = filter;
  const page = await mergeForms(app, { states, limit, before }, (formKey) =>
    stepsOf(app, formKey, filter, STEP_BYTES),
  );
  return { ...page, total: undefined, indexing };
}
