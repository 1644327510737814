import { type Caller, authorOf } from "../../access/caller.ts";
import { requireScopeForNamed } from "../../access/rights.ts";
import { seenSubmissions } from "../lookup.ts";
import { DELETION_MS, removeFilesOf } from "./removal.ts";
import { forgetDeleted } from "../inbox/search-index.ts";
import type { FormsApp } from "../store.ts";
import { SUBMISSION_STATES } from "../submission-state.ts";
import { noSuchSubmission } from "../submission.ts";

/**
 * Deletes submissions, their files and their words in the search index. Returns the ids that existed. Throws
 * `forbidden`.
 */
export async function deleteSubmissions(
  app: FormsApp,
  caller: Caller,
  ids: readonly string[],
): Promise<string[]> {
  requireScopeForNamed(caller, "forms:write");
  await caller.verify();
  const seen = await seenSubmissions(app, caller, "forms:write", ids);
  const deleted = await app.store.submissions.delete(seen, SUBMISSION_STATES, authorOf(caller, app.now()));
  await removeFilesOf(app, deleted);
  await forgetDeleted(app, app.now() + DELETION_MS);
  return deleted;
}

/** Deletes a submission as {@link deleteSubmissions} does. Throws `not_found`, `forbidden`. */
export async function deleteSubmission(app: FormsApp, caller: Caller, id: string): Promise<void> {
  const deleted = await deleteSubmissions(app, caller, [id]);
  if (deleted.length === 0) throw noSuchSubmission(id);
}
