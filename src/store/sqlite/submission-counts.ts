import type { Database } from "bun:sqlite";
import { hourOf } from "../../base/tally.ts";
import type { FormCounts } from "../../forms/store.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { query } from "./statements.ts";
import { addTallies } from "./tallies.ts";

/** The submissions to the form of that key in some states. */
export function countSubmissions(
  db: Database,
  formKey: string,
  states: readonly SubmissionState[] = STATES,
): number {
  const sql = `SELECT coalesce(sum(count), 0) AS count FROM submission_counts
               WHERE form_id = (SELECT id FROM forms WHERE key = $formKey) AND count > 0
               AND state IN (${states.map((state) => STATES.indexOf(state)).join()})`;
  return query<{ count: number }, { formKey: string }>(db, sql).get({ formKey })!.count;
}

const sumOf = (condition: string) => `coalesce(sum(c.count) FILTER (WHERE ${condition}), 0)`;
const inState = (state: SubmissionState) => `c.state = ${STATES.indexOf(state)}`;

/** Of every form, by slug. */
export function listCounts(db: Database): FormCounts[] {
  const sql = `SELECT f.key AS formKey, f.slug AS form, f.name,
      ${sumOf(inState("inbox"))} AS inbox, ${sumOf(`${inState("inbox")} AND c.unread = 1`)} AS unread,
      ${sumOf(inState("spam"))} AS spam, ${sumOf(inState("archived"))} AS archived
    FROM forms f LEFT JOIN submission_counts c ON c.form_id = f.id AND c.count > 0
    WHERE f.deleted = 0 GROUP BY f.id ORDER BY f.slug`;
  return query<FormCounts, []>(db, sql).all();
}

/** Submissions of a transaction that were inserted and are still to be counted, together, before it commits. */
export type Uncounted = {
  add(formKey: string, state: SubmissionState, isUnread: boolean, createdAt: number): void;
  /** Counts them, and begins again with none. */
  count(): void;
};

type Group = { formKey: string; state: SubmissionState; isUnread: boolean; hour: number; count: number };

export function createUncounted(db: Database): Uncounted {
  let groups = new Map<string, Group>();
  return {
    add(formKey, state, isUnread, createdAt) {
      const hour = hourOf(createdAt);
      const key = `${formKey} ${state} ${isUnread} ${hour}`;
      const group = groups.get(key);
      if (group) group.count += 1;
      else groups.set(key, { formKey, state, isUnread, hour, count: 1 });
    },
    count() {
      if (groups.size === 0) return;
      for (const group of groups.values()) countGroup(db, group);
      groups = new Map();
    },
  };
}

function countGroup(db: Database, { formKey, state, isUnread, hour, count }: Group): void {
  query<unknown, [string, number, number, number]>(
    db,
    `INSERT INTO submission_counts (form_id, state, unread, count)
     VALUES ((SELECT id FROM forms WHERE key = ?1), ?2, ?3, ?4)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  ).run(formKey, STATES.indexOf(state), isUnread ? 1 : 0, count);
  const variant = state === "spam" ? "spam" : "inbox";
  // Submissions from before 1970 are in no hour.
  if (hour >= 0) addTallies(db, [{ kind: "submissions", hour, what: formKey, variant, count }]);
}

/** Counts every submission again. */
export function recountSubmissions(db: Database): void {
  db.run("DELETE FROM submission_counts");
  db.run(`INSERT INTO submission_counts (form_id, state, unread, count) ${REAL_COUNTS}`);
}

const REAL_COUNTS =
  "SELECT form_id, state, unread, count(*) AS count FROM submissions GROUP BY form_id, state, unread";

/** The slugs of the forms whose counts are not those of their submissions. Reads every submission. */
export function findWrongCounts(db: Database): string[] {
  const sql = `WITH found AS (${REAL_COUNTS}),
      stored AS (SELECT form_id, state, unread, count FROM submission_counts WHERE count <> 0)
    SELECT slug FROM forms WHERE id IN (
      SELECT form_id FROM (SELECT * FROM found EXCEPT SELECT * FROM stored)
      UNION SELECT form_id FROM (SELECT * FROM stored EXCEPT SELECT * FROM found)) ORDER BY slug`;
  return query<{ slug: string }, []>(db, sql)
    .all()
    .map(({ slug }) => slug);
}
