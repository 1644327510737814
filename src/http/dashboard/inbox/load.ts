import { chosenIn } from "../forms/form-words.ts";
import { visibleProjects } from "../../../access/rights.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { findPreviews } from "../../../forms/inbox/file-preview.ts";
import { nameIn } from "../../../forms/form-name.ts";
import { getForm } from "../../../forms/forms.ts";
import { listInbox } from "../../../forms/inbox/inbox.ts";
import { neighboursOf } from "../../../forms/inbox/neighbours.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { SubmissionFilter } from "../../../forms/inbox/submission-filter.ts";
import { timelineOfSubmission } from "../../../forms/inbox/timeline.ts";
import { sentence } from "../error-page.tsx";
import { labelsIn, titlesIn } from "./columns.ts";
import { type Listing, sumOf } from "./controls.tsx";
import { type InboxQuery, filterOf, isFiltered } from "./query.ts";
import { loadOthers, loadWork } from "../submissions/load-work.ts";
import { addressIn, senderIn } from "../../../forms/inbox/sender.ts";
import type { SubmissionPlace } from "../submissions/rows.tsx";
import type { Neighbour, SubmissionView } from "../submissions/submission-view.ts";

/** Submissions of a page. */
const PAGE = 50;

/** Submissions whose choices a table counts. */
const MAX_COUNTED = 500;

/** Loads the list of a query. An invalid search or time becomes the error of its field. Throws `not_found`. */
export async function loadList(
  app: App,
  caller: Caller,
  query: InboxQuery,
  timeZone: string,
): Promise<Omit<Listing, "views">> {
  const counts = await seenCounts(app, caller);
  const nothing = { query, counts, filter: null, submissions: [], next: null, indexing: 0, table: null };
  let filter: SubmissionFilter;
  try {
    filter = filterOf(query, timeZone, caller.name);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason === null) throw error;
    return { ...nothing, fault: { field: error.reason, message: sentence(error.message) } };
  }
  const { form, before } = query;
  const chosen = chosenIn(form);
  if (query.isTable && chosen.form !== null) {
    const { schema } = await getForm(app, caller, chosen.form);
    const all = await listInbox(app, caller, { ...chosen, limit: MAX_COUNTED, before, filter });
    const submissions = all.submissions.slice(0, PAGE);
    const next = all.submissions.length > PAGE ? submissions.at(-1)!.id : all.next;
    const table = { schema, counted: all.submissions };
    return { ...nothing, ...all, submissions, next, filter, fault: null, table };
  }
  const page = await listInbox(app, caller, { ...chosen, limit: PAGE, before, filter });
  return { ...nothing, ...page, filter, fault: null };
}

/** The counts of the forms that a caller sees. */
export async function seenCounts(app: App, caller: Caller): Promise<FormCounts[]> {
  const visible = visibleProjects(caller, "forms:read");
  const counts = await app.store.submissions.counts();
  if (visible === null) return counts;
  const seen = new Set(visible);
  return counts.filter(({ project }) => seen.has(project));
}

/** Loads the data of a submission's page. */
export async function loadReading(
  app: App,
  caller: Caller,
  submission: Submission,
  asked: InboxQuery,
  timeZone: string,
): Promise<Omit<SubmissionView, "mails" | "typed">> {
  const form = await getForm(app, caller, nameIn(submission.project, submission.form));
  // A submission of megabytes takes long to parse, and each of these parses it again: other requests take their turns.
  await yieldToEventLoop();
  const { query, beside, next } = await loadBeside(app, caller, submission, asked, timeZone);
  const filter = filterOf(query, timeZone, caller.name);
  await yieldToEventLoop();
  const neighbours = await findNeighbours(app, caller, submission, { query, filter, beside, next });
  await yieldToEventLoop();
  const address = addressIn(submission, form);
  return {
    submission,
    query,
    beside,
    next,
    ...neighbours,
    position: await positionOf(app, caller, submission, { query, beside, next }),
    events: await timelineOfSubmission(app, caller, submission, form),
    previews: await findPreviews(app, submission),
    address,
    sender: senderIn(submission, form),
    formName: form.name,
    labelOf: labelsIn(form.schema),
    titleOf: titlesIn(form.schema),
    work: await loadWork(app, caller, form, submission),
    others: await loadOthers(app, caller, submission, address),
  };
}

type Beside = { query: InboxQuery; beside: readonly Submission[]; next: string | null };

/** The list beside a submission. It begins at the submission if the page that was asked for ends before the submission. */
async function loadBeside(
  app: App,
  caller: Caller,
  { id }: Submission,
  asked: InboxQuery,
  timeZone: string,
): Promise<Beside> {
  const filter = filterOf(asked, timeZone, caller.name);
  const load = async (query: InboxQuery): Promise<Beside> => {
    const { form, before } = query;
    const { submissions, next } = await listInbox(app, caller, {
      ...chosenIn(form),
      limit: PAGE,
      before,
      filter,
    });
    return { query, beside: submissions, next };
  };
  const found = await load(asked);
  const end = found.next === null ? undefined : found.beside.at(-1);
  return end !== undefined && end.id > id ? load({ ...asked, before: after(id) }) : found;
}

/** The place of a submission in its list, such as `3 of 209`; null past the first page, where it is not known. */
async function positionOf(
  app: App,
  caller: Caller,
  { id }: Submission,
  { query, beside, next }: Beside,
): Promise<string | null> {
  const at = beside.findIndex((each) => each.id === id) + 1;
  if (query.before !== null || at === 0) return null;
  const shown = `${beside.length}${next === null ? "" : "+"}`;
  const all = isFiltered(query)
    ? shown
    : sumOf(await seenCounts(app, caller), query.form, query.folder).toLocaleString("en");
  return `${at} of ${all}`;
}

/** The id behind one, so that a list that begins before it begins with that one. */
function after(id: string): string {
  const next = (BigInt(`0x${id.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function findNeighbours(
  app: App,
  caller: Caller,
  submission: Submission,
  { query, filter, beside, next }: Beside & { filter: SubmissionFilter },
): Promise<{ newer: Neighbour | null; older: Neighbour | null }> {
  const { id } = submission;
  const { form, before } = query;
  const inList = (each: Submission | undefined) => each && { ...placeIn(each), before };
  let newer = inList(beside.findLast((each) => each.id > id)) ?? null;
  let older = inList(beside.find((each) => each.id < id)) ?? null;
  if (!older && next !== null) {
    const [first] = (await listInbox(app, caller, { ...chosenIn(form), limit: 1, before: id, filter }))
      .submissions;
    older = first ? { ...placeIn(first), before: after(first.id) } : null;
  }
  // Before the first page of all forms only "Newest" leads.
  if (!newer && before !== null && chosenIn(form).form !== null) {
    const found = (await neighboursOf(app, caller, submission, filter)).newer;
    newer = found === null ? null : { ...placeIn(submission), id: found, before: after(found) };
  }
  return { newer, older };
}

function placeIn({ project, form, id }: Submission): SubmissionPlace {
  return { project, form, id };
}
