import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/token.ts";
import { KiB } from "../base/bytes.ts";
import { mergeForms } from "./merge.ts";
import { addressMatcher, parseWithSources } from "./purge-match.ts";
import { beginIndexing } from "./search-index.ts";
import { phrasesIn, termsIn } from "./search-text.ts";
import type { FormsApp } from "./store.ts";
import type { FilteredPage } from "./submission-list.ts";
import { SUBMISSION_STATES } from "./submission-state.ts";

const STEP_BYTES = 64 * KiB;

/**
 * A page of the submissions of every form and folder in which a text is an address, newest first: those that a purge of
 * the address deletes. One whose address comes after `SEARCH_LIMITS.words` other words is found by the purge alone, which
 * reads every submission. Throws `forbidden`.
 */
export async function findPerson(
  app: FormsApp,
  caller: Caller,
  address: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<FilteredPage> {
  requireScope(caller, "forms:read");
  const find = addressMatcher(address);
  const terms = { terms: termsIn(phrasesIn(address)), prefix: null };
  const states = SUBMISSION_STATES;
  const indexing = await beginIndexing(app);
  const page = await mergeForms(app, { states, limit, before }, (formKey) => async (cursor, size) => {
    const scan = { states, unread: false, since: null, until: null, terms, limit: size, bytes: STEP_BYTES };
    const { submissions, next } = await app.store.submissions.scan(formKey, { ...scan, before: cursor });
    const isHolding = ({ data }: { data: string }) => find(parseWithSources(data)) === "match";
    return { submissions: submissions.filter(isHolding), next };
  });
  return { ...page, total: undefined, indexing };
}
