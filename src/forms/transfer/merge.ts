import { createTurns } from "../../base/event-loop.ts";
import { AppError } from "../../base/errors.ts";
import { MAX_PAGE_BYTES } from "../../base/pages.ts";
import { MAX_SCANNED } from "../limits.ts";
import type { ScanStep } from "../inbox/scan.ts";
import type { FormsApp } from "../store.ts";
import { type RawSubmission, type Submission, parsed } from "../submission.ts";
import type { SubmissionState } from "../submission-state.ts";

/** Forms whose newest submission is looked up in one turn of the event loop. */
const FORMS = 250;
/** Submissions of one form that one step looks at, at least and at most. */
const MIN_STEP = 4;
const MAX_STEP = 500;
/** A step that selects little is followed by one this many times as long. */
const GROWTH = 4;

/** Returns the matches among the next `size` submissions of a form below `before`, newest first. */
export type StepOf = (formKey: string) => (before: string | null, size: number) => Promise<ScanStep>;

/** The submissions of one form on their way into the page. */
type Stream = {
  step: ReturnType<StepOf>;
  /** Submissions that were selected and are not in the page yet. */
  found: RawSubmission[];
  /** Everything from here on was looked at; null before the first step, and at the end. */
  cursor: string | null;
  /** No submission of the stream that is still to come has a greater id. */
  bound: string;
  size: number;
};

/** The keys of the forms are null for every form. */
type MergeQuery = {
  states: readonly SubmissionState[];
  limit: number;
  before: string | null;
  formKeys: ReadonlySet<string> | null;
};

/**
 * A page of what the steps select of the submissions of some forms in some states, newest first. The page is short, and `next`
 * leads on, after `MAX_SCANNED` submissions were looked at or about `MAX_PAGE_BYTES` were selected.
 */
export async function mergeForms(
  app: FormsApp,
  query: MergeQuery,
  stepOf: StepOf,
): Promise<{ submissions: Submission[]; next: string | null }> {
  const takeTurns = createTurns();
  const { limit, before } = query;
  const queue = await openStreams(app, query, stepOf);
  const submissions: Submission[] = [];
  let [scanned, bytes] = [0, 0];
  for (let stream = queue.pop(); stream !== undefined; stream = queue.pop()) {
    const first = stream.found.shift();
    if (first === undefined) {
      if (stream.cursor !== null && scanned >= MAX_SCANNED) return { submissions, next: stream.cursor };
      scanned += await advance(stream, before);
    } else {
      if (submissions.length === limit || bytes >= MAX_PAGE_BYTES)
        return { submissions, next: submissions.at(-1)!.id };
      submissions.push(parsed(first));
      bytes += first.data.length;
    }
    const bound = stream.found[0]?.id ?? stream.cursor;
    if (bound !== null) {
      stream.bound = bound;
      enqueue(queue, stream);
    }
    await takeTurns();
  }
  return { submissions, next: null };
}

/** The streams of the forms that have submissions, by their bound. */
async function openStreams(
  app: FormsApp,
  { states, limit, before, formKeys }: MergeQuery,
  stepOf: StepOf,
): Promise<Stream[]> {
  const takeTurns = createTurns();
  const found: { formKey: string; newest: string }[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<FormsApp["store"]["submissions"]["newestOf"]>> =
      await app.store.submissions.newestOf({ states, before, after, limit: FORMS });
    found.push(...page.forms.filter(({ formKey }) => formKeys?.has(formKey) ?? true));
    after = page.next;
    await takeTurns();
  }
  // Every form gets its share of the page and as much again, since some have more of it than others.
  const share = Math.ceil((2 * limit) / Math.max(found.length, 1));
  const size = Math.min(Math.max(share, MIN_STEP), limit + 1, MAX_STEP);
  return found
    .map(({ formKey, newest }) => ({ step: stepOf(formKey), found: [], cursor: null, bound: newest, size }))
    .toSorted((a, b) => (a.bound < b.bound ? -1 : 1));
}

/** Takes the next step of a stream. Returns about how many submissions were looked at. */
async function advance(stream: Stream, before: string | null): Promise<number> {
  const { step, cursor, size } = stream;
  let taken: ScanStep;
  try {
    taken = await step(cursor ?? before, size);
  } catch (error) {
    // The form has been deleted.
    if (!(error instanceof AppError && error.code === "not_found")) throw error;
    taken = { submissions: [], next: null };
  }
  const { submissions, next } = taken;
  stream.found = submissions;
  stream.cursor = next;
  if (submissions.length < size) stream.size = Math.min(size * GROWTH, MAX_STEP);
  return next === null ? submissions.length : size;
}

/** Puts a stream into the queue, whose last one has the greatest bound. */
function enqueue(queue: Stream[], stream: Stream): void {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (queue[middle]!.bound < stream.bound) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, stream);
}
