import type { Caller } from "../../access/caller.ts";
import { change, type Plan } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { dashedKey } from "../../base/ids.ts";
import type { NewOf } from "../../base/kinds/kinds.ts";
import { recordOf } from "../../base/kinds/records.ts";
import { sha256 } from "../../base/sum.ts";
import type { FormChange } from "../change.ts";
import type { FormName } from "../form-name.ts";
import { type SubmissionFilter, readFilter, readSearch } from "../inbox/filters.ts";
import { searchOf } from "../inbox/submission-filter.ts";
import { FEED_LIMITS } from "../limits.ts";
import { type FormSelection, findForm, seesFormsOf, selectProjects } from "../lookup.ts";
import type { FormsApp } from "../store.ts";
import { FEED } from "./feed-card.ts";
import { type FeedRecord, type FoundFeed, feedToken, noSuchFeed, viewFeed } from "./feed.ts";

/** Milliseconds between two times that a feed is noted as read. */
const READ_STEP = 60_000;

type NewFeed = NewOf<typeof FEED>;
type FeedView = ReturnType<typeof viewFeed>;

/**
 * Creates a feed of a form, and returns it with the token of its address, of which only the SHA-256 is stored. Throws
 * `not_found` for the form, `invalid` for an expiry in the past and a search without a word or for a caller's own,
 * `conflict` past `FEED_LIMITS`, `forbidden`.
 */
export async function createFeed(
  app: FormsApp,
  caller: Caller,
  form: FormName,
  input: NewFeed,
): Promise<FeedView & { token: string }> {
  await findForm(app, caller, "forms:write", form);
  requireSearch(input.search ?? null);
  const given = recordOf(FEED, input);
  return change(app, caller, async ({ at }): Promise<Plan<FormChange, FeedView & { token: string }>> => {
    const { key, slug, name, project } = await findForm(app, caller, "forms:write", form);
    if (given.expiresAt !== null && given.expiresAt <= at)
      throw new AppError("invalid", "a feed must expire in the future");
    if ((await app.store.feeds.count(key)) >= FEED_LIMITS.feeds)
      throw new AppError("conflict", `form "${slug}" has ${FEED_LIMITS.feeds} feeds, the most there may be`, {
        hint: "revoke one first",
      });
    const token = feedToken(app.random);
    const feed: FeedRecord = {
      id: dashedKey(app.random),
      formKey: key,
      ...given,
      name: input.name ?? name,
      fields: given.fields && [...new Set(given.fields)],
      createdAt: at,
      lastReadAt: null,
    };
    return {
      changes: [{ change: "insertFeed", feed, hash: sha256(token) }],
      result: { ...viewFeed({ ...feed, project, form: slug, formName: name }), token },
    };
  });
}

/** Throws `invalid` for a search that finds nothing, and for one that depends on who searches. */
function requireSearch(search: string | null): void {
  if (search === null) return;
  if (readSearch(search).isMine) throw new AppError("invalid", "the search of a feed has no is:mine");
  searchOf(readFilter({ search }, ""));
}

/** The feeds of a form, of a project, or of all that the caller sees, the oldest first. Throws as `selectForms`. */
export async function listFeeds(
  app: FormsApp,
  caller: Caller,
  {
    form,
    project,
    ...page
  }: FormSelection & { limit: number; after: { createdAt: number; id: string } | null },
): Promise<{ items: FoundFeed[]; more: boolean }> {
  const { feeds } = app.store;
  if (form != null) {
    const { key } = await findForm(app, caller, "forms:read", form);
    return feeds.page({ ...page, projects: null, form: key });
  }
  const projects = await selectProjects(app, caller, "forms:read", project);
  return feeds.page({ ...page, projects, form: null });
}

/** Revokes a feed: its address answers 404 from then on. Throws `not_found`, `forbidden`. */
export function revokeFeed(app: FormsApp, caller: Caller, id: string): Promise<void> {
  return change(app, caller, async (): Promise<Plan<FormChange, void>> => {
    const feed = await app.store.feeds.find(id);
    if (!feed || !seesFormsOf(caller, feed.project)) throw noSuchFeed(id);
    requireScope(caller, "forms:write", { project: feed.project });
    return { changes: [{ change: "deleteFeed", id, formKey: feed.formKey }], result: undefined };
  });
}

/**
 * The submissions that a feed has at a time: of the inbox and the archive. The age goes on by a thousandth of itself, by a second
 * at least and an hour at most, so that what a reader has stays current for as long.
 */
export function filterOf({ search, since }: FeedRecord, now: number): SubmissionFilter {
  const filter = readFilter({ ...(search !== null && { search }) }, "");
  if (since === null) return filter;
  const step = Math.min(Math.max(since, 1000), 3_600_000);
  return { ...filter, since: Math.floor((now - since * 1000) / step) * step };
}

/** Notes that a feed is read now, at most once a minute. */
export async function noteRead({ store, now }: FormsApp, { id, lastReadAt }: FeedRecord): Promise<void> {
  const at = now();
  if (lastReadAt === null || at - lastReadAt >= READ_STEP) await store.feeds.noteRead(id, at);
}
