import { type Caller, authorOf } from "../../access/caller.ts";
import { visibleProjects } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { ArrivalBound } from "./arrival-bound.ts";
import type { FormName } from "../form-name.ts";
import { type FormScope, seenSubmissions, selectForms } from "../lookup.ts";
import type { Arrival } from "./scan.ts";
import { MAX_BULK_IDS } from "../limits.ts";
import { DELETION_MS, removeFilesOf } from "../keeping/removal.ts";
import { forgetDeleted } from "./search-index.ts";
import type { FormsApp } from "../store.ts";
import type { SubmissionFilter } from "./filters.ts";
import { searchOf } from "./submission-filter.ts";
import { eachSubmission } from "./submission-list.ts";
import { markSubmissions } from "./submission-marks.ts";
import type { Standing } from "../submission.ts";
import type { SubmissionMark } from "../submission-state.ts";

/** Submissions that one step reads and changes at most, in one transaction. */
const STEP = 250;

/** Everything that a filter selects of one form, of a project or of all, up to the last submission that the caller knows. */
export type Selection = {
  /** Null for all that the caller sees, or may write. */
  form: FormName | null;
  project?: string | null | undefined;
  filter: SubmissionFilter;
  /** The id of the last arrival that is touched, whatever the ids of others; null for the last one there is. */
  upTo: string | null;
};

/** Result of an action on a selection. */
export type BulkResult = {
  /** How many submissions were changed, or were counted. */
  total: number;
  /** The first `MAX_BULK_IDS` of them. */
  ids: string[];
  /** The submission that had arrived last, or null. */
  upTo: string | null;
};

/** Called after each step with the number of submissions changed until then. */
type OnProgress = (total: number) => void;

/**
 * The submissions of a selection, and changes none. Counts no more than `atMost`, and the rest of a step. Throws `not_found`
 * for the form, `invalid`, `forbidden`, `conflict` where the submission of `upTo` does not exist any more.
 */
export function countMatching(
  app: FormsApp,
  caller: Caller,
  selection: Selection,
  atMost = Infinity,
): Promise<BulkResult> {
  return eachStep(app, caller, "forms:read", selection, async (ids) => ids, { atMost });
}

/**
 * Marks every submission of a selection, a step at a time. Submissions that arrive or are deleted during the run are left out.
 * An error leaves the steps before it. Throws as {@link countMatching}, and `unauthenticated`.
 */
export async function markMatching(
  app: FormsApp,
  caller: Caller,
  selection: Selection,
  mark: SubmissionMark,
  onProgress?: OnProgress,
): Promise<BulkResult> {
  return eachStep(app, caller, "forms:write", selection, (ids) => markStep(app, caller, ids, mark), {
    onProgress,
  });
}

/**
 * Marks submissions a step at a time, except ids that do not exist and submissions that `isWanted` returns false for.
 * Returns the ids that changed. If a step fails, the steps before it are kept. Throws `forbidden`, `unauthenticated`.
 */
export async function markPresent(
  app: FormsApp,
  caller: Caller,
  ids: readonly string[],
  mark: SubmissionMark,
  isWanted?: (standing: Standing) => boolean,
): Promise<string[]> {
  const changed: string[] = [];
  for (let start = 0; start < ids.length; start += STEP) {
    const step = ids.slice(start, start + STEP);
    const wanted = isWanted ? await wantedAmong(app, step, isWanted) : step;
    changed.push(...(await markStep(app, caller, wanted, mark)));
    await yieldToEventLoop();
  }
  return changed;
}

async function wantedAmong(
  app: FormsApp,
  ids: readonly string[],
  isWanted: (standing: Standing) => boolean,
): Promise<string[]> {
  const found = Object.entries(await app.store.submissions.standing(ids));
  return found.filter(([, standing]) => isWanted(standing)).map(([id]) => id);
}

/** Marks the submissions that the caller sees; one may have been deleted since it was read. */
async function markStep(
  app: FormsApp,
  caller: Caller,
  ids: string[],
  mark: SubmissionMark,
): Promise<string[]> {
  try {
    return await markSubmissions(app, caller, ids, mark);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "not_found")) throw error;
  }
  const present = Object.keys(await app.store.submissions.standing(ids));
  const seen = await seenSubmissions(app, caller, "forms:write", present);
  return markSubmissions(app, caller, seen, mark);
}

/**
 * Deletes every submission of a selection with its files, a step at a time; not one that has left its folder.
 * Throws as {@link markMatching}.
 */
export async function deleteMatching(
  app: FormsApp,
  caller: Caller,
  selection: Selection,
  onProgress?: OnProgress,
): Promise<BulkResult> {
  const { states } = selection.filter;
  const step = async (ids: string[]) => {
    await caller.verify();
    const deleted = await app.store.submissions.delete(ids, states, authorOf(caller, app.now()));
    await removeFilesOf(app, deleted);
    return deleted;
  };
  const result = await eachStep(app, caller, "forms:write", selection, step, { onProgress });
  await forgetDeleted(app, app.now() + DELETION_MS);
  return result;
}

/**
 * Passes the ids of a selection to a step at a time, which returns the changed ones. The submission up to which it goes
 * comes last, and the walk ends without it: SQLite gives its place to the next arrival once it is deleted.
 */
async function eachStep(
  app: FormsApp,
  caller: Caller,
  scope: FormScope,
  { form, project, filter, upTo: given }: Selection,
  step: (ids: string[]) => Promise<string[]>,
  { onProgress, atMost = Infinity }: { onProgress?: OnProgress | undefined; atMost?: number } = {},
): Promise<BulkResult> {
  // Refuses a search without a word, also in an empty inbox.
  searchOf(filter);
  const forms = await selectForms(app, caller, scope, { form, project });
  const { submissions } = app.store;
  const last = given === null ? await lastSeen(app, caller) : await seenArrival(app, caller, given);
  if (!last && given !== null) throw deletedMeanwhile(given);
  const result: BulkResult = { total: 0, ids: [], upTo: last?.id ?? null };
  if (!last) return result;
  const perform = async (ids: string[]) => {
    const changed = await step(ids);
    result.total += changed.length;
    result.ids.push(...changed.slice(0, MAX_BULK_IDS - result.ids.length));
    onProgress?.(result.total);
  };
  const bound: ArrivalBound = {
    place: last.place,
    async holds() {
      if ((await submissions.arrival(last.id))?.place !== last.place) throw deletedMeanwhile(last.id);
      return true;
    },
  };
  let isLastSelected = false;
  for (const each of forms) {
    try {
      for await (const page of eachSubmission(app, each, filter, { bound, size: STEP })) {
        const ids = page.map(({ id }) => id).filter((id) => id !== last.id);
        isLastSelected ||= ids.length < page.length;
        if (ids.length > 0) await perform(ids);
        if (result.total >= atMost) return result;
      }
    } catch (error) {
      // One of all forms may have been deleted.
      if (form !== null || !(error instanceof AppError && error.code === "not_found")) throw error;
    }
  }
  if (isLastSelected) await perform([last.id]);
  return result;
}

/** The last submission that arrived among what the caller sees. */
async function lastSeen({ store }: FormsApp, caller: Caller): Promise<Arrival | undefined> {
  return (await store.submissions.lastArrivals(1, visibleProjects(caller, "forms:read"))).at(0);
}

async function seenArrival(app: FormsApp, caller: Caller, id: string): Promise<Arrival | null> {
  const [seen] = await seenSubmissions(app, caller, "forms:read", [id]);
  return seen === undefined ? null : app.store.submissions.arrival(seen);
}

function deletedMeanwhile(id: string): AppError {
  return new AppError(
    "conflict",
    `submission ${id}, the last one that was counted, was deleted: count them again`,
    {
      hint: "without it, submissions that have arrived since cannot be told apart",
    },
  );
}
