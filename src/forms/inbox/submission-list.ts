import { KiB } from "../../base/bytes.ts";
import { createTurns, yieldToEventLoop } from "../../base/event-loop.ts";
import { ID_SLACK, MAX_AHEAD, endOfIds, firstIdOf } from "../../base/ids.ts";
import { once } from "../../base/once.ts";
import type { Form } from "../form.ts";
import type { ArrivalBound } from "./arrival-bound.ts";
import { MAX_SCANNED } from "../limits.ts";
import { beginIndexing, finishIndexing } from "./search-index.ts";
import { termsOf } from "./search-text.ts";
import type { ScanStep } from "./scan.ts";
import type { FormsApp } from "../store.ts";
import { type SubmissionFilter, isSelective, storedFilter } from "./filters.ts";
import { searchOf, selectorOf } from "./submission-filter.ts";
import { type RawSubmission, type Submission, parsed } from "../submission.ts";

/** Submissions that a list looks at between two turns of the event loop, and about how many bytes of them. */
const STEP = 500;
const STEP_BYTES = 500_000;

/** Bytes of a step of a walk, whose submissions are turned into text too. */
const WALK_BYTES = 64 * KiB;

/** Turns of the event loop between two steps of a walk: a request takes several, and must not wait for a step in each. */
const TURNS = 4;

/** A page of a list of submissions. */
export type FilteredPage = {
  submissions: Submission[];
  /** Value of `before` for the next page; null on the last. */
  next: string | null;
  /** How many the form has in the folder; undefined with a filter. */
  total: number | undefined;
  /** How many submissions the search has not looked at because they are not in its index yet, at most. */
  indexing: number;
};

/**
 * A page of a form's submissions that a filter selects, newest first. Default: the inbox. A page of large ones is shorter. With a filter it may
 * be short or even empty before the last, because no more than `MAX_SCANNED` are looked at. Throws `not_found` for a
 * form that has been deleted, `invalid` for a search without a word.
 */
export async function listSubmissions(
  app: FormsApp,
  { key }: Pick<Form, "key">,
  {
    limit,
    before,
    filter = { states: ["inbox"] },
  }: { limit: number; before: string | null; filter?: SubmissionFilter },
): Promise<FilteredPage> {
  const { submissions: store } = app.store;
  if (!isSelective(filter)) {
    const total = await store.count(key, filter.states);
    const { submissions, more } = await store.list(key, limit, before, filter.states);
    const next = more ? submissions.at(-1)!.id : null;
    return { submissions, next, total, indexing: 0 };
  }
  const step = stepsOf(app, key, filter, STEP_BYTES);
  const indexing = searchOf(filter) === null ? 0 : await beginIndexing(app);
  return { ...(await collectPage(step, limit, before)), total: undefined, indexing };
}

/** Returns the matches of a filter among the next `size` submissions after one. */
type Step = (before: string | null, size: number) => Promise<ScanStep>;

/** The steps through a form's submissions in which a filter selects; `bytes` is about how much text one reads. */
export function stepsOf(
  app: FormsApp,
  formKey: string,
  filter: SubmissionFilter,
  bytes: number,
  bound: { readonly place: number } | null = null,
): Step {
  const phrases = searchOf(filter);
  const terms = phrases && termsOf(phrases);
  const isSelected = selectorOf(filter, true);
  const spanOfIds = once(() => idSpanOf(app, formKey, filter));
  return async (before, size) => {
    const { first, last } = await spanOfIds();
    const start = first !== null && (before === null || before > first) ? first : before;
    const upTo = bound?.place ?? null;
    const range = { upTo, terms, before: start, limit: size, bytes };
    const found = await app.store.submissions.scan(formKey, { ...storedFilter(filter), ...range });
    const next = found.next !== null && last !== null && found.next < last ? null : found.next;
    if (isSelected === null) return { ...found, next };
    const takeTurns = createTurns();
    const submissions: RawSubmission[] = [];
    for (const each of found.submissions) if (await isSelected(each, takeTurns)) submissions.push(each);
    return { submissions, next };
  };
}

/** Ids before `first` and from `last` on; null if that says nothing. */
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
    // After the clock is set back, ids continue from its former time.
    first: until === undefined ? null : firstIdOf(until + MAX_AHEAD),
    last: since === undefined ? null : firstIdOf(since - ID_SLACK),
  };
}

/** Submissions to look at for some more of them, of which a share was chosen so far; some more, so that one step does. */
function sizeFor(missing: number, share: number, most: number): number {
  return Math.min(STEP, most, share === 0 ? STEP : Math.ceil((missing / share) * 1.25));
}

async function collectPage(step: Step, limit: number, before: string | null) {
  const submissions: Submission[] = [];
  let next = before;
  // Most of what a search finds in its index is what it searches for, so it begins with one page.
  let size = Math.min(STEP, limit + 1);
  for (let scanned = 0; scanned < MAX_SCANNED;) {
    const found = await step(next, size);
    scanned += size;
    const left = limit - submissions.length;
    submissions.push(...found.submissions.slice(0, left).map(parsed));
    if (found.submissions.length > left) return { submissions, next: submissions.at(-1)!.id };
    next = found.next;
    if (next === null || submissions.length === limit) break;
    size = sizeFor(limit + 1 - submissions.length, found.submissions.length / size, MAX_SCANNED - scanned);
    await yieldToEventLoop();
  }
  return { submissions, next };
}

/**
 * The submissions of a form that a filter selects, newest first, in pages of at most `size`; other requests
 * take their turns between the pages. What arrived after `bound` is left out, whatever its id. A search indexes all first.
 */
export async function* eachSubmission(
  app: FormsApp,
  form: Pick<Form, "key">,
  filter: SubmissionFilter,
  { bound = null, size = 100 }: { bound?: ArrivalBound | null; size?: number } = {},
): AsyncGenerator<RawSubmission[]> {
  if (searchOf(filter) !== null) await finishIndexing(app);
  const step = stepsOf(app, form.key, filter, WALK_BYTES, bound);
  for (let before: string | null = null; ;) {
    const { submissions, next }: ScanStep = await step(before, size);
    if (bound !== null && !(await bound.holds())) continue;
    if (submissions.length > 0) yield submissions;
    if (next === null) return;
    before = next;
    for (let turn = 0; turn < TURNS; turn += 1) await yieldToEventLoop();
  }
}
