import { noSuchForm } from "../../forms/form.ts";
import type { Submission, SubmissionPage } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { allAmong } from "./byte-lists.ts";
import { cutPage, pageCut } from "./pages.ts";
import { bytesOf, textOf } from "./submission-ids.ts";
import { AFTER_EVERY_ID, COLUMNS, type SubmissionRow, viewSubmissions } from "./submission-rows.ts";
import { FOR_UPDATE_OF_S, type Work, all, first } from "./work.ts";

/** Joins submissions of any form to it, in a folder: the index of submissions begins with form and state. */
export const OF_FORMS = `FROM forms f CROSS JOIN submissions s
  WHERE s.form_id = f.id AND s.state IN (0, 1, 2) AND f.deleted = 0`;

export function* listSubmissions(
  formKey: string,
  limit: number,
  before: string | null,
  states: readonly SubmissionState[] = STATES,
): Work<SubmissionPage> {
  const formId = yield* formIdOf(formKey);
  // The index has an order in each state; the database merges these.
  const folders = states.map(
    (state) => `SELECT ${COLUMNS} FROM submissions s JOIN forms f ON f.id = s.form_id
               WHERE s.form_id = $formId AND s.state = ${STATES.indexOf(state)} AND s.id < $before`,
  );
  const sql = `${folders.join("\nUNION ALL\n")} ORDER BY 1 DESC LIMIT $limit`;
  const params = { formId, before: before === null ? AFTER_EVERY_ID : bytesOf(before), limit: limit + 1 };
  const rows = yield* all<SubmissionRow>(sql, params, pageCut("data"));
  const { items, more } = cutPage(rows, limit, (row) => row);
  return { submissions: yield* viewSubmissions(items), more };
}

/** Throws `not_found`. */
export function* formIdOf(formKey: string): Work<number> {
  const form = yield* first<{ id: number }>("SELECT id FROM forms WHERE key = $formKey", { formKey });
  if (!form) throw noSuchForm(formKey);
  return form.id;
}

export function* findSubmission(id: string): Work<Submission | undefined> {
  const sql = `SELECT ${COLUMNS} ${OF_FORMS} AND s.id = $id`;
  const [found] = yield* viewSubmissions(yield* all<SubmissionRow>(sql, { id: bytesOf(id) }));
  return found;
}

export type KnownSubmission = { seq: number; state: number; spam: string | null; unread: number };

/** Those of some submissions that exist, by their ids, which are about to be changed. */
export function* lockSubmissions(ids: readonly string[]): Work<Map<string, KnownSubmission>> {
  const bytes = ids.map(bytesOf);
  const rows = yield* allAmong<KnownSubmission & { id: Uint8Array }>(
    bytes,
    (list) => `SELECT s.id, s.seq, s.state, s.spam, s.unread ${OF_FORMS} AND s.id IN ${list}
               ORDER BY s.id ${FOR_UPDATE_OF_S}`,
  );
  const found = new Map(rows.map((row) => [textOf(row.id), row]));
  const known = new Map<string, KnownSubmission>();
  for (const [index, id] of ids.entries()) {
    const row = found.get(textOf(bytes[index]!));
    if (row) known.set(id, row);
  }
  return known;
}
