import type { Arrival } from "../../../forms/inbox/scan.ts";
import type { NewestQuery } from "../../../forms/store.ts";
import type { RawSubmission } from "../../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import { amongProjects } from "../rows.ts";
import { bytesOf, textOf } from "../ids.ts";
import { AFTER_EVERY_ID, COLUMNS, type SubmissionRow, viewRaw } from "./submissions.ts";
import { OF_FORMS } from "./submissions.ts";
import { type Work, all, first, merged } from "../work.ts";

/** Submissions of a form next to one in the order of their ids, in some states. */
export function* submissionsBeside(
  formKey: string,
  id: string,
  direction: "newer" | "older",
  states: readonly SubmissionState[],
  limit: number,
): Work<RawSubmission[]> {
  const [sign, order] = direction === "newer" ? ([">", "ASC"] as const) : (["<", "DESC"] as const);
  const folders = states.map(
    (state) => `SELECT ${COLUMNS} FROM submissions s JOIN forms f ON f.id = s.form_id
      WHERE s.form_id = (SELECT id FROM forms WHERE key = $formKey) AND s.state = ${STATES.indexOf(state)}
      AND s.id ${sign} $id`,
  );
  const rows = yield* all<SubmissionRow>(merged(folders, order), { formKey, id: bytesOf(id), limit });
  return yield* viewRaw(rows);
}

/** The newest id of each form in some states, in a step through the forms: one look-up in the index for each state. */
export function* newestOfForms({
  states,
  before,
  after,
  limit,
}: NewestQuery): Work<{ forms: { formKey: string; newest: string }[]; next: number | null }> {
  type Row = NewestRow & { place: number; formKey: string };
  const rows = yield* all<Row>(
    `SELECT f.id AS place, f.key AS "formKey", ${newestIn(states)}
     FROM forms f WHERE f.id > $after AND f.deleted = 0 ORDER BY f.id LIMIT $limit`,
    { before: before === null ? AFTER_EVERY_ID : bytesOf(before), after, limit },
  );
  return {
    forms: rows.flatMap((row) => {
      const newest = newestOf([row]);
      return newest === null ? [] : [{ formKey: row.formKey, newest }];
    }),
    next: rows.length < limit ? null : rows.at(-1)!.place,
  };
}

/** The greatest id of all submissions below one. */
export function* newestSubmission(below: string): Work<string | null> {
  const sql = `SELECT ${newestIn(STATES)} FROM forms f`;
  return newestOf(yield* all<NewestRow>(sql, { before: bytesOf(below) }));
}

export function* findArrival(id: string): Work<Arrival | null> {
  const sql = `SELECT s.id, s.seq AS place ${OF_FORMS} AND s.id = $id`;
  const row = yield* first<ArrivalRow>(sql, { id: bytesOf(id) });
  return row === undefined ? null : arrivalOf(row);
}

export function* listLastArrivals(limit: number, projects: readonly string[] | null = null): Work<Arrival[]> {
  const { where, params } = amongProjects(projects);
  const rows = yield* all<ArrivalRow>(
    `SELECT s.id, s.seq AS place FROM submissions s CROSS JOIN forms f
     WHERE f.id = s.form_id AND f.deleted = 0${where} ORDER BY s.seq DESC LIMIT $limit`,
    { ...params, limit },
  );
  return rows.map(arrivalOf);
}

function arrivalOf({ id, place }: ArrivalRow): Arrival {
  return { id: textOf(id), place };
}

type ArrivalRow = { id: Uint8Array; place: number };

/** The newest id of a form below `$before` in each state; null, or missing, for none. */
type NewestRow = { [state in SubmissionState]?: Uint8Array | null };

function newestIn(states: readonly SubmissionState[]): string {
  return states
    .map(
      (state) => `(SELECT id FROM submissions WHERE form_id = f.id AND state = ${STATES.indexOf(state)}
        AND id < $before ORDER BY id DESC LIMIT 1) AS ${state}`,
    )
    .join();
}

function newestOf(rows: readonly NewestRow[]): string | null {
  const ids = rows.flatMap((row) => STATES.map((state) => row[state] ?? null)).filter((id) => id !== null);
  return ids.length === 0 ? null : ids.map(textOf).reduce((a, b) => (a > b ? a : b));
}
