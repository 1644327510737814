import type { Database } from "bun:sqlite";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { query } from "./statements.ts";

/** The submissions to the form of that key in some states; with `atMost`, no more are counted. */
export function countSubmissions(
  db: Database,
  formKey: string,
  states: readonly SubmissionState[] = STATES,
  atMost = -1,
): number {
  // A limit below 0 is none.
  const sql = `SELECT count(*) AS count FROM (
                 SELECT 1 FROM submissions WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)
                 AND state IN (${states.map((state) => STATES.indexOf(state)).join()}) LIMIT $atMost)`;
  return query<{ count: number }, { formKey: string; atMost: number }>(db, sql).get({ formKey, atMost })!
    .count;
}
