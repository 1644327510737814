import { chosenIn } from "../forms/form-words.ts";
import { hasScope, visibleProjects } from "../../../access/rights.ts";
import { type ReplyTemplate, replyTemplatesIn } from "../../../delivery/reply-templates.ts";
import type { Form } from "../../../forms/form.ts";
import { findPerson } from "../../../forms/keeping/person.ts";
import type { FormCounts } from "../../../forms/store.ts";
import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { findPreviews } from "../../../forms/inbox/file-preview.ts";
import { getForm } from "../../../forms/forms.ts";
import { listInbox } from "../../../forms/inbox/inbox.ts";
import { titlesOf } from "../../../forms/inbox/titles.ts";
import { neighboursOf } from "../../../forms/inbox/neighbours.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { SubmissionFilter } from "../../../forms/inbox/filters.ts";
import { timelineOfSubmission } from "../../../forms/inbox/timeline.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Listing, sumOf } from "./controls.tsx";
import { loadPreview } from "./preview.ts";
import { type InboxQuery, filterOf, isFiltered } from "./query.ts";
import { senderIn } from "../../../forms/inbox/sender.ts";
import type { SubmissionPlace } from "../submissions/rows.tsx";

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
  let filter: SubmissionFilter;
  try {
    filter = filterOf(query, timeZone, caller.name);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason === null) throw error;
    const fault = { field: error.reason, message: sentence(error.message) };
    const titleOf = await titlesOf(app, []);
    const nothing = { filter: null, submissions: [], titleOf, next: null, indexing: 0, table: null };
    const [counts, mine] = await Promise.all([seenCounts(app, caller), unreadOf(app, caller)]);
    return { query, counts, mine, ...nothing, preview: null, fault };
  }
  const { before } = query;
  const chosen = chosenIn(query.form);
  const tableOf = query.isTable ? chosen.form : null;
  const limit = tableOf === null ? PAGE : MAX_COUNTED;
  const counts = await seenCounts(app, caller);
  // No submission is read where the counts are zero.
  const isNone = filter.unread && query.folder === "inbox" && sumOf(counts, query.form, "unread") === 0;
  const [mine, all, form] = await Promise.all([
    unreadOf(app, caller),
    isNone && query.form === null
      ? { submissions: [], next: null, indexing: 0 }
      : listInbox(app, caller, { ...chosen, limit, before, filter }),
    tableOf === null ? null : getForm(app, caller, tableOf),
  ]);
  const submissions = all.submissions.slice(0, PAGE);
  const next = all.submissions.length > PAGE ? submissions.at(-1)!.id : all.next;
  const table = form && { schema: form.schema, counted: all.submissions };
  const [newest] = submissions;
  const [titleOf, preview] = await Promise.all([
    titlesOf(app, submissions),
    newest && !table ? loadPreview(app, caller, newest) : null,
  ]);
  return { ...all, query, counts, mine, filter, fault: null, submissions, titleOf, preview, next, table };
}

/** Unread submissions of a user that are counted at most. */
const MOST_MINE = 100;

function unreadOf({ store }: App, caller: Caller): Promise<number> {
  return store.submissions.unreadOf(caller.name, MOST_MINE, visibleProjects(caller, "forms:read"));
}

/** The counts of the forms that a caller sees. */
export async function seenCounts(app: App, caller: Caller): Promise<FormCounts[]> {
  const visible = visibleProjects(caller, "forms:read");
  const counts = await app.store.submissions.counts();
  if (visible === null) return counts;
  const seen = new Set(visible);
  return counts.filter(({ project }) => seen.has(project));
}

/** The data of a submission's page. */
export type Reading = Awaited<ReturnType<typeof loadReading>>;

/**
 * Loads a submission's page: `position` is its place in the list beside it, null if it is not known; `address` and `sender` are null
 * if they are not known, `work` for a viewer, `others` without an address.
 */
export async function loadReading(
  app: App,
  caller: Caller,
  submission: Submission,
  asked: InboxQuery,
  timeZone: string,
) {
  const { form, ...preview } = await loadPreview(app, caller, submission);
  const { address } = preview;
  const filter = filterOf(asked, timeZone, caller.name);
  const loadAround = async () => {
    const list = await loadBeside(app, caller, submission, asked, filter);
    await yieldToEventLoop();
    return { ...list, ...(await findNeighbours(app, caller, submission, { ...list, filter })) };
  };
  const [around, counts, mine, events, previews, work, others] = await Promise.all([
    loadAround(),
    seenCounts(app, caller),
    unreadOf(app, caller),
    timelineOfSubmission(app, caller, submission, form),
    findPreviews(app, submission),
    loadWork(app, caller, form, submission),
    address === null ? null : loadOthers(app, caller, submission, address),
  ]);
  return {
    ...preview,
    ...around,
    counts,
    mine,
    position: positionOf(submission, around, isFiltered(asked) ? null : counts),
    events,
    previews,
    sender: senderIn(submission, form),
    formName: form.name,
    titleOf: await titlesOf(app, [submission, ...around.beside, ...(others?.submissions ?? [])]),
    work,
    others,
  };
}

/** The choices that a page of a submission offers to those who work on it. */
export type Work = {
  /** Users who see it, by name. */
  users: readonly string[];
  /** Labels of other submissions of the form. */
  labels: readonly string[];
  templates: readonly ReplyTemplate[];
};

/** Users that a page offers. */
const MAX_USERS = 200;

/** Null for a caller who may not write. */
async function loadWork(
  { store }: App,
  caller: Caller,
  { key, replyTemplates }: Form,
  { project }: Submission,
): Promise<Work | null> {
  if (!hasScope(caller, "forms:write", { project })) return null;
  const [users, members, labels] = await Promise.all([
    store.users.page({ limit: MAX_USERS }),
    store.members.page(project, { limit: MAX_USERS }),
    store.submissions.labels(key),
  ]);
  const names = [
    ...users.items.filter(({ role }) => role !== "none").map(({ name }) => name),
    ...members.items.map(({ user }) => user),
  ];
  return { users: [...new Set(names)].toSorted(), labels, templates: replyTemplatesIn(replyTemplates) };
}

/** Submissions that are counted. */
const MAX_OTHERS = 50;

/** The newest other submissions of a person, and whether there are more. */
async function loadOthers(app: App, caller: Caller, { id }: Submission, address: string) {
  // A submission of megabytes takes long to parse, and each list parses it again: other requests take their turns.
  await yieldToEventLoop();
  const page = await findPerson(app, caller, address, { limit: MAX_OTHERS + 1, before: null });
  const others = page.submissions.filter((each) => each.id !== id);
  const isMore = page.next !== null || others.length > MAX_OTHERS;
  return { submissions: others.slice(0, MAX_OTHERS), isMore };
}

type Beside = { query: InboxQuery; beside: readonly Submission[]; next: string | null };

/** The list beside a submission. It begins at the submission if the page that was asked for ends before the submission. */
async function loadBeside(
  app: App,
  caller: Caller,
  { id }: Submission,
  asked: InboxQuery,
  filter: SubmissionFilter,
): Promise<Beside> {
  const load = async (query: InboxQuery): Promise<Beside> => {
    const page = { ...chosenIn(query.form), limit: PAGE, before: query.before, filter };
    const { submissions, next } = await listInbox(app, caller, page);
    return { query, beside: submissions, next };
  };
  await yieldToEventLoop();
  const found = await load(asked);
  const end = found.next === null ? undefined : found.beside.at(-1);
  return end !== undefined && end.id > id ? load({ ...asked, before: after(id) }) : found;
}

/** The place of a submission in its list, such as `3 of 209`; null past the first page, where it is not known. */
function positionOf(
  { id }: Submission,
  { query, beside, next }: Beside,
  counts: readonly FormCounts[] | null,
): string | null {
  const at = beside.findIndex((each) => each.id === id) + 1;
  if (query.before !== null || at === 0) return null;
  const shown = `${beside.length}${next === null ? "" : "+"}`;
  const all = counts === null ? shown : sumOf(counts, query.form, query.folder).toLocaleString("en");
  return `${at} of ${all}`;
}

/** A submission beside another one; `before` is where the list beside it begins. */
export type Neighbour = SubmissionPlace & { before: string | null };

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
