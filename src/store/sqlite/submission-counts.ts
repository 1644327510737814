import type { Database } from "bun:sqlite";
import { hourOf } from "../../base/days.ts";
import type { FormCounts, HourSpan, StoredSum } from "../../forms/store.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../forms/submission-state.ts";
import { query } from "./statements.ts";

const [INBOX, SPAM, ARCHIVED] = (["inbox", "spam", "archived"] as const).map((each) => STATES.indexOf(each));

/** The hour of the rows that hold how many submissions there are, instead of how many were stored in an hour. */
const NOW = Number.MAX_SAFE_INTEGER;

/** Each row is found by itself: the index holds the hours behind these columns. */
const PRESENT = `unread IN (0, 1) AND hour = ${NOW} AND count > 0`;

/** The submissions to the form of that key in some states. */
export function countSubmissions(
  db: Database,
  formKey: string,
  states: readonly SubmissionState[] = STATES,
): number {
  const sql = `SELECT coalesce(sum(count), 0) AS count FROM submission_counts
               WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)
               AND state IN (${states.map((state) => STATES.indexOf(state)).join()}) AND ${PRESENT}`;
  return query<{ count: number }, { formKey: string }>(db, sql).get({ formKey })!.count;
}

const sumOf = (condition: string) => `coalesce(sum(c.count) FILTER (WHERE ${condition}), 0)`;

/** Of every form, by slug. */
export function listCounts(db: Database): FormCounts[] {
  const sql = `SELECT f.key AS formKey, f.slug AS form, f.name,
      ${sumOf(`c.state = ${INBOX}`)} AS inbox, ${sumOf(`c.state = ${INBOX} AND c.unread = 1`)} AS unread,
      ${sumOf(`c.state = ${SPAM}`)} AS spam, ${sumOf(`c.state = ${ARCHIVED}`)} AS archived
    FROM forms f LEFT JOIN submission_counts c ON c.form_id = f.id AND c.state IN (0, 1, 2) AND c.${PRESENT}
    WHERE f.deleted = 0 GROUP BY f.id ORDER BY f.slug`;
  return query<FormCounts, []>(db, sql).all();
}

/** The counts of every form as one text, which changes with them. */
export function printCounts(db: Database): string {
  const sql = `SELECT group_concat(c.form_id || ' ' || c.state || ' ' || c.unread || ' ' || c.count) AS counts
    FROM forms f CROSS JOIN submission_counts c ON c.form_id = f.id AND c.state IN (0, 1, 2) AND c.${PRESENT}`;
  return query<{ counts: string | null }, []>(db, sql).get()!.counts ?? "";
}

/** How many submissions to the form of that key were stored in each span of hours. */
export function sumStored(db: Database, formKey: string, spans: readonly HourSpan[]): StoredSum[] {
  // A sum for each span and folder takes half as long as one over their join.
  const sumIn = (state: number | undefined) => `(SELECT coalesce(sum(count), 0) FROM submission_counts
    WHERE form_id = (SELECT id FROM forms WHERE key = ?1) AND state = ${state} AND unread = 1
      AND hour >= span.value ->> 'from' AND hour < min(span.value ->> 'to', ${NOW}))`;
  const sql = `SELECT ${sumIn(INBOX)} AS inbox, ${sumIn(SPAM)} AS spam FROM json_each(?2) span ORDER BY span.key`;
  return query<StoredSum, [string, string]>(db, sql).all(formKey, JSON.stringify(spans));
}

/** The unread submissions in the inboxes of all forms. */
export function countUnread(db: Database): number {
  const sql = `SELECT coalesce(sum(c.count), 0) AS count
    FROM forms f CROSS JOIN submission_counts c
      ON c.form_id = f.id AND c.state = ${INBOX} AND c.unread = 1 AND c.hour = ${NOW}
    WHERE f.deleted = 0`;
  return query<{ count: number }, []>(db, sql).get()!.count;
}

/** Submissions of a transaction that were inserted and are still to be counted, together, before it commits. */
export type Uncounted = {
  add(formKey: string, state: SubmissionState, isUnread: boolean, createdAt: number): void;
  /** Counts them, and begins again with none. */
  count(): void;
};

export function createUncounted(db: Database): Uncounted {
  type Group = { formKey: string; state: SubmissionState; unread: 0 | 1; hour: number; count: number };
  let groups: Group[] = [];
  return {
    add(formKey, state, isUnread, createdAt) {
      const [unread, hour] = [isUnread ? 1 : 0, hourOf(createdAt)] as const;
      // Nearly always a commit has one group, or a few.
      for (const group of groups) {
        const isSame = group.hour === hour && group.state === state && group.unread === unread;
        if (!isSame || group.formKey !== formKey) continue;
        group.count += 1;
        return;
      }
      groups.push({ formKey, state, unread, hour, count: 1 });
    },
    count() {
      for (const { formKey, state, unread, hour, count } of groups) {
        addCount(db, formKey, STATES.indexOf(state), unread, NOW, count);
        // Submissions from before 1970 are in no hour.
        if (hour >= 0) addCount(db, formKey, state === "spam" ? SPAM! : INBOX!, 1, hour, count);
      }
      if (groups.length > 0) groups = [];
    },
  };
}

function addCount(
  db: Database,
  formKey: string,
  state: number,
  unread: number,
  hour: number,
  count: number,
): void {
  query<unknown, [string, number, number, number, number]>(
    db,
    `INSERT INTO submission_counts (form_id, state, unread, hour, count)
     VALUES ((SELECT id FROM forms WHERE key = ?1), ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  ).run(formKey, state, unread, hour, count);
}

const FOUND = `SELECT form_id, state, unread, count(*) AS count FROM submissions GROUP BY form_id, state, unread`;

/** Counts every submission again. */
export function recountSubmissions(db: Database): void {
  db.run(`DELETE FROM submission_counts WHERE hour = ${NOW}`);
  db.run(`INSERT INTO submission_counts (form_id, state, unread, hour, count)
          SELECT form_id, state, unread, ${NOW}, count FROM (${FOUND})`);
}

/** The slugs of the forms whose counts are not those of their submissions. Reads every submission. */
export function findWrongCounts(db: Database): string[] {
  const sql = `WITH found AS (${FOUND}),
      stored AS (SELECT form_id, state, unread, count FROM submission_counts WHERE hour = ${NOW} AND count <> 0)
    SELECT slug FROM forms WHERE id IN (
      SELECT form_id FROM (SELECT * FROM found EXCEPT SELECT * FROM stored)
      UNION SELECT form_id FROM (SELECT * FROM stored EXCEPT SELECT * FROM found)) ORDER BY slug`;
  return query<{ slug: string }, []>(db, sql)
    .all()
    .map(({ slug }) => slug);
}
