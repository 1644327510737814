import type { Caller } from "../../access/caller.ts";
import { KiB } from "../../base/bytes.ts";
import type { FormName } from "../form-name.ts";
import { findForm, selectKeys } from "../lookup.ts";
import { mergeForms } from "../transfer/merge.ts";
import { beginIndexing } from "./search-index.ts";
import type { FormsApp } from "../store.ts";
import { type FilteredPage, listSubmissions, stepsOf } from "./submission-list.ts";
import type { SubmissionFilter } from "./filters.ts";
import { searchOf } from "./submission-filter.ts";

/** Bytes of one step of a form: many forms may each wait with one. */
const STEP_BYTES = 64 * KiB;

type InboxQuery = {
  /** Null for all that the caller sees. */
  form: FormName | null;
  project?: string | null;
  limit: number;
  before: string | null;
  filter: SubmissionFilter;
};

/**
 * A page of the submissions of one form, of a project or of all forms that the caller sees, that a filter selects, newest first. All forms have no total. Throws
 * as {@link listSubmissions}, and `forbidden`.
 */
export async function listInbox(
  app: FormsApp,
  caller: Caller,
  { form, project = null, limit, before, filter }: InboxQuery,
): Promise<FilteredPage> {
  if (form !== null)
    return listSubmissions(app, await findForm(app, caller, "forms:read", form), { limit, before, filter });
  const formKeys = await selectKeys(app, caller, "forms:read", { project });
  const indexing = searchOf(filter) === null ? 0 : await beginIndexing(app);
  const { states } = filter;
  const page = await mergeForms(app, { states, limit, before, formKeys }, (formKey) =>
    stepsOf(app, formKey, filter, STEP_BYTES),
  );
  return { ...page, total: undefined, indexing };
}
