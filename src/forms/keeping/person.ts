import type { Caller } from "../../access/caller.ts";
import { requireScopeSomewhere } from "../../access/rights.ts";
import { KiB } from "../../base/bytes.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { type ArrivalBound, boundOfArrivals } from "../inbox/arrival-bound.ts";
import { jsonLines } from "../transfer/export-json.ts";
import { selectForms, selectKeys } from "../lookup.ts";
import { type StepOf, mergeForms } from "../transfer/merge.ts";
import { addressMatcher, parseWithSources } from "./purge-match.ts";
import { beginIndexing, finishIndexing } from "../inbox/search-index.ts";
import { termsOfAddress } from "../inbox/search-text.ts";
import type { ScanStep } from "../inbox/scan.ts";
import type { FormsApp } from "../store.ts";
import type { FilteredPage } from "../inbox/submission-list.ts";
import type { RawSubmission } from "../submission.ts";
import { SUBMISSION_STATES } from "../submission-state.ts";

const STEP_BYTES = 64 * KiB;

/** Submissions of one step of an export. */
const STEP = 100;

/** The steps through the submissions of a form in which a text is an address, in every folder, up to a bound. */
function stepsOf(app: FormsApp, address: string, bound: ArrivalBound | null = null): StepOf {
  const find = addressMatcher(address);
  const terms = termsOfAddress(address);
  const states = SUBMISSION_STATES;
  return (formKey) => async (before, size) => {
    const upTo = bound?.place ?? null;
    const filter = { states, unread: false, since: null, until: null, upTo, terms };
    const scan = { ...filter, before, limit: size, bytes: STEP_BYTES };
    const { submissions, next } = await app.store.submissions.scan(formKey, scan);
    const isHolding = ({ data }: { data: string }) => find(parseWithSources(data)) === "match";
    return { submissions: submissions.filter(isHolding), next };
  };
}

/**
 * A page of the submissions of every form and folder that the caller sees, or of a project, in which a text is an address, newest first: what a purge of
 * the address deletes. One whose address comes after `SEARCH_LIMITS.words` other words and addresses is found by the purge alone, which
 * reads every submission. Throws `forbidden`.
 */
export async function findPerson(
  app: FormsApp,
  caller: Caller,
  address: string,
  { limit, before, project = null }: { limit: number; before: string | null; project?: string | null },
): Promise<FilteredPage> {
  const formKeys = await selectKeys(app, caller, "forms:read", { project });
  const indexing = await beginIndexing(app);
  const query = { states: SUBMISSION_STATES, limit, before, formKeys };
  const page = await mergeForms(app, query, stepsOf(app, address));
  return { ...page, total: undefined, indexing };
}

/**
 * Exports the submissions that {@link findPerson} finds, form by form, as JSON with one submission a line, or as a zip that
 * includes the files. Throws `forbidden`, and `unsupported` if a file of a zip is missing or damaged. Later arrivals are
 * left out.
 */
export async function* exportPerson(
  app: FormsApp,
  caller: Caller,
  address: string,
  format: "jsonl" | "zip",
): AsyncGenerator<string | Uint8Array> {
  requireScopeSomewhere(caller, "forms:read");
  await finishIndexing(app);
  const bound = await boundOfArrivals(app);
  const walk = () => eachOfPerson(app, caller, address, bound);
  if (format === "jsonl") yield* jsonLines(walk());
  else {
    const { zipExport } = await import("../transfer/export-zip.ts");
    yield* zipExport(app, { states: SUBMISSION_STATES }, walk);
  }
}

async function* eachOfPerson(
  app: FormsApp,
  caller: Caller,
  address: string,
  bound: ArrivalBound,
): AsyncGenerator<RawSubmission[]> {
  const stepOf = stepsOf(app, address, bound);
  for (const { key } of await selectForms(app, caller, "forms:read", {})) {
    const step = stepOf(key);
    for (let before: string | null = null; ;) {
      const { submissions, next }: ScanStep = await unlessDeleted(step(before, STEP));
      if (!(await bound.holds())) continue;
      if (submissions.length > 0) yield await withEvents(app, submissions);
      await yieldToEventLoop();
      if (next === null) break;
      before = next;
    }
  }
}

/** The submissions with their notes and answers, which are about the person too. */
async function withEvents(app: FormsApp, submissions: RawSubmission[]): Promise<RawSubmission[]> {
  const all: RawSubmission[] = [];
  for (const submission of submissions) {
    const events = (await app.store.submissions.events(submission.id))
      .filter(({ kind }) => kind === "noted" || kind === "answered")
      .map(({ kind, text, who, at }) => ({ kind, text, who, at: isoTime(at) }));
    all.push(events.length > 0 ? Object.assign({}, submission, { events }) : submission);
  }
  return all;
}

/** Nothing if the form has been deleted. */
async function unlessDeleted(step: Promise<ScanStep>): Promise<ScanStep> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return { submissions: [], next: null };
    throw error;
  }
}
