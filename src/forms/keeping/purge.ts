import type { FeedPageQuery } from "../feeds/feed-store.ts";
import { revokeFeed } from "../feeds/feeds.ts";
import { type Caller, authorOf } from "../../access/caller.ts";
import { requireScopeSomewhere } from "../../access/rights.ts";
import { createTurns, yieldToEventLoop } from "../../base/event-loop.ts";
import { AppError } from "../../base/errors.ts";
import type * as z from "zod/mini";
import { plainAddress } from "../../delivery/address.ts";
import { selectKeys } from "../lookup.ts";
import { autoreplyHash } from "../deliveries.ts";
import { type Find, addressMatcher, fieldMatcher, parseWithSources, textsIn } from "./purge-match.ts";
import type { purgeResultSchema, purgeSchema } from "./purge-schema.ts";
import { paceHashes, sentReplyHash } from "../../delivery/opt-in/paces.ts";
import { MAX_PURGE_IDS } from "../limits.ts";
import { clearDeletedForms, removeFilesOf } from "./removal.ts";
import { forgetDeleted } from "../inbox/search-index.ts";
import type { ScannedSubmission } from "../inbox/scan.ts";
import type { FormsApp } from "../store.ts";

export type Purge = z.infer<typeof purgeSchema>;

export type PurgeResult = z.infer<typeof purgeResultSchema>;

/** Submissions that are read in one step, and at most as many are deleted in one transaction. */
const STEP = 500;

/**
 * Deletes every submission in which a text is an address, or a field has a value, in all forms that the caller may write, in those of a project or in one form, in every folder,
 * with all that belongs to it, and overwrites what deleted rows have left in the files of the database. A dry run only
 * counts. No error names what was searched. Throws `not_found` for the form, `forbidden`, `unavailable` if the files
 * could not be overwritten: the submissions are deleted then, and the same purge can be repeated.
 */
export async function purgeSubmissions(
  app: FormsApp,
  caller: Caller,
  { email, field, value, form, project, dryRun = false }: Purge,
): Promise<PurgeResult> {
  requireScopeSomewhere(caller, "forms:write");
  await caller.verify();
  const only = await selectKeys(app, caller, "forms:write", { form, project });
  if (!dryRun) await clearDeletedForms(app);
  const find = email === undefined ? fieldMatcher(field ?? "", value ?? "") : addressMatcher(email);
  const counts = new Map<string, PurgedForm>();
  const ids: string[] = [];
  let mentions = 0;
  for await (const { matches, mentioned } of findMatches(app, find, only)) {
    mentions += mentioned;
    for (const { id, project, form, formKey, files } of dryRun
      ? matches
      : await deleteMatches(app, caller, matches)) {
      if (ids.length < MAX_PURGE_IDS) ids.push(id);
      const count = counts.get(formKey) ?? { project, form, submissions: 0, files: 0 };
      const sums = { submissions: count.submissions + 1, files: count.files + files };
      counts.set(formKey, { project, form, ...sums });
    }
  }
  const forms = [...counts.values()].toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const submissions = forms.reduce((sum, each) => sum + each.submissions, 0);
  const files = forms.reduce((sum, each) => sum + each.files, 0);
  if (!dryRun) {
    if (email !== undefined) {
      await app.measuring.forget(email);
      await forgetMailbox(app, email);
      await revokeFeedsOf(app, caller, find, only);
    }
    await overwrite(app, submissions);
  }
  return { dryRun, submissions, files, mentions, ids, forms };
}

type PurgedForm = PurgeResult["forms"][number];

/** Sorts by slug, then by project. */
function orderOf({ project, form }: PurgedForm): string {
  return `${form} ${project}`;
}

type Matches = { matches: Match[]; mentioned: number };

type Match = Omit<ScannedSubmission, "data"> & { replies: string[] };

/** The submissions that a search finds, step by step. Every one is parsed: a text has many spellings in JSON. */
async function* findMatches(
  app: FormsApp,
  find: Find,
  only: ReadonlySet<string> | null,
): AsyncGenerator<Matches> {
  const takeTurns = createTurns();
  for (let after = 0; ;) {
    const { items, next } = await app.store.submissions.scanAll(after, STEP);
    const matches: Match[] = [];
    let mentioned = 0;
    for (const { data, ...item } of items) {
      if (only !== null && !only.has(item.formKey)) continue;
      const parsed = parseWithSources(data);
      await takeTurns();
      const finding = find(parsed);
      await takeTurns();
      if (finding === "match") matches.push({ ...item, replies: await repliesOf(item.formKey, parsed) });
      if (finding === "mention") mentioned += 1;
      await takeTurns();
    }
    yield { matches, mentioned };
    if (next === null) return;
    await yieldToEventLoop();
    after = next;
  }
}

/** The hashes of the automatic mail that a submission may have caused. */
async function repliesOf(formKey: string, data: unknown): Promise<string[]> {
  const takeTurns = createTurns();
  const hashes: string[] = [];
  for (const text of new Set(textsIn(data))) {
    const address = plainAddress(text);
    if (address === null) continue;
    hashes.push(autoreplyHash(formKey, address), sentReplyHash(formKey, address), ...paceHashes(address));
    await takeTurns();
  }
  return hashes;
}

/** Deletes submissions with their files. Returns the submissions that were not deleted already. */
async function deleteMatches(app: FormsApp, caller: Caller, matches: Match[]): Promise<Match[]> {
  if (matches.length === 0) return [];
  const rows = matches.map(({ place, id }) => ({ place, id }));
  const replies = matches.flatMap((match) => match.replies);
  const deleted = new Set(await app.store.submissions.purge(rows, replies, authorOf(caller, app.now())));
  await removeFilesOf(app, [...deleted]);
  return matches.filter(({ id }) => deleted.has(id));
}

/** Deletes how often the mailbox of an address was asked to confirm: its submissions may be gone for other reasons. */
async function forgetMailbox(app: FormsApp, email: string): Promise<void> {
  const address = plainAddress(email);
  if (address !== null) await app.store.submissions.purge([], paceHashes(address), null);
}

/** Revokes the feeds whose search has the address: they would keep it, and find nothing with it any more. */
async function revokeFeedsOf(
  app: FormsApp,
  caller: Caller,
  find: Find,
  only: ReadonlySet<string> | null,
): Promise<void> {
  for (let after: FeedPageQuery["after"] = null; ;) {
    const { items, more } = await app.store.feeds.page({ limit: 100, after, projects: null, form: null });
    for (const { id, formKey, search } of items)
      if ((only === null || only.has(formKey)) && search !== null && find(search) !== null)
        await revokeFeed(app, caller, id);
    const last = items.at(-1);
    if (!more || !last) return;
    after = { createdAt: last.createdAt, id: last.id };
  }
}

/** Why the database cannot be rewritten, where another try ends alike. */
const LASTING = new Set(["database-pooled", "purge-not-owner"]);

async function overwrite(app: FormsApp, deleted: number): Promise<void> {
  try {
    // The words of what was deleted are in the search index until then.
    await forgetDeleted(app);
    await app.store.submissions.rewrite();
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const done = `${deleted} ${deleted === 1 ? "submission was" : "submissions were"} deleted`;
    throw new AppError("unavailable", `${done}, but the database file was not rewritten: ${cause.message}`, {
      reason: cause.reason !== null && LASTING.has(cause.reason) ? cause.reason : "purge-unfinished",
      hint: "bytes of deleted submissions may be left in the database file: repeat the same purge",
      cause,
    });
  }
}
