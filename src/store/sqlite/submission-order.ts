import type { Database } from "bun:sqlite";
import type { NewestQuery } from "../../forms/store.ts";
import type { RawSubmission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { query } from "./statements.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID, COLUMNS, type SubmissionRow, viewRaw } from "./submission-rows.ts";

/** Submissions of a form next to one in the order of their ids, in some states. */
export function submissionsBeside(
  db: Database,
  formKey: string,
  id: string,
  direction: "newer" | "older",
  states: readonly SubmissionState[],
  limit: number,
): RawSubmission[] {
  const [sign, order] = direction === "newer" ? [">", "ASC"] : ["<", "DESC"];
  // The index has an order in each state; SQLite merges these.
  const folders = states.map(
    (state) => `SELECT ${COLUMNS} FROM submissions s JOIN forms f ON f.id = s.form_id
      WHERE s.form_id = (SELECT id FROM forms WHERE key = $formKey) AND s.state = ${STATES.indexOf(state)}
      AND s.id ${sign} $id`,
  );
  return query<SubmissionRow, { formKey: string; id: Buffer; limit: number }>(
    db,
    `${folders.join("\nUNION ALL\n")} ORDER BY 1 ${order} LIMIT $limit`,
  )
    .all({ formKey, id: bytesOf(id), limit })
    .map(viewRaw);
}

/** The newest id of each form in some states, in a step through the forms: one look-up in the index for each state. */
export function newestOfForms(
  db: Database,
  { states, before, after, limit }: NewestQuery,
): { forms: { formKey: string; newest: string }[]; next: number | null } {
  type Row = { place: number; formKey: string; newest: Uint8Array | null };
  const rows = query<Row, [string, Buffer, number, number]>(
    db,
    `SELECT f.id AS place, f.key AS formKey,
       (SELECT max((SELECT max(id) FROM submissions WHERE form_id = f.id AND state = states.value AND id < ?2))
        FROM json_each(?1) AS states) AS newest
     FROM forms f WHERE f.id > ?3 AND f.deleted = 0 ORDER BY f.id LIMIT ?4`,
  ).all(
    JSON.stringify(states.map((state) => STATES.indexOf(state))),
    before === null ? AFTER_EVERY_ID : bytesOf(before),
    after,
    limit,
  );
  return {
    forms: rows.flatMap(({ formKey, newest }) =>
      newest === null ? [] : [{ formKey, newest: textOf(newest) }],
    ),
    next: rows.length < limit ? null : rows.at(-1)!.place,
  };
}
