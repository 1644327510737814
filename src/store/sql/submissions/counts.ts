import { hourOf } from "../../../base/days.ts";
import { firstIdOf } from "../../../base/ids.ts";
import type { FirstAnswer, FormCounts, Newest, Span, StoredSum } from "../../../forms/store.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import { bytesOf, textOf } from "../ids.ts";
import { PROJECT_OF_FORM, amongProjects } from "../rows.ts";
import { type Work, all, merged, only, run } from "../work.ts";

const [INBOX, SPAM, ARCHIVED, UNCONFIRMED] = [...STATES.keys()] as [number, number, number, number];

const EVERY = [...STATES.keys()].join();

/** The hour of the rows that hold how many submissions there are, instead of how many were stored in an hour. */
const NOW = Number.MAX_SAFE_INTEGER;

/** Each row is found by itself: the index holds the hours behind these columns. */
const PRESENT = `unread IN (0, 1) AND hour = ${NOW} AND count > 0`;

/** The submissions to the form of that key in some states. */
export function* countSubmissions(
  formKey: string,
  states: readonly SubmissionState[] = STATES,
): Work<number> {
  const sql = `SELECT coalesce(sum(count), 0) AS count FROM submission_counts
               WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)
               AND state IN (${states.map((state) => STATES.indexOf(state)).join()}) AND ${PRESENT}`;
  return (yield* only<{ count: number }>(sql, { formKey })).count;
}

const sumOf = (condition: string) => `coalesce(sum(c.count) FILTER (WHERE ${condition}), 0)`;

/**
 * The counts of a form in each folder, and of what was ever stored in it: a deletion lowers the first, and only a new submission, which
 * raises the second, makes up for that. Moves between folders and what people do leave a record, of which
 * the newest in any form counts, with its time: once it is deleted, SQLite gives its id to the next one.
 */
export function* contentVersion(formKey: string): Work<string> {
  type Row = {
    inbox: number;
    spam: number;
    archived: number;
    unconfirmed: number;
    stored: number;
    mark: string | null;
    event: string | null;
  };
  const row = yield* only<Row>(
    `SELECT ${sumOf(`c.state = ${INBOX} AND c.hour = ${NOW}`)} AS inbox,
       ${sumOf(`c.state = ${SPAM} AND c.hour = ${NOW}`)} AS spam,
       ${sumOf(`c.state = ${ARCHIVED} AND c.hour = ${NOW}`)} AS archived,
       ${sumOf(`c.state = ${UNCONFIRMED} AND c.hour = ${NOW}`)} AS unconfirmed, ${sumOf(`c.hour < ${NOW}`)} AS stored,
       (SELECT id || '.' || at FROM submission_marks ORDER BY id DESC LIMIT 1) AS mark,
       (SELECT id || '.' || at FROM submission_events ORDER BY id DESC LIMIT 1) AS event
     FROM submission_counts c WHERE c.form_id = (SELECT id FROM forms WHERE key = $formKey)`,
    { formKey },
  );
  const { inbox, spam, archived, unconfirmed, stored, mark, event } = row;
  return [inbox, spam, archived, unconfirmed, stored, mark, event].join();
}

/** Counts of every form, by slug and project. */
export function listCounts(): Work<FormCounts[]> {
  const sql = `SELECT f.key AS "formKey", ${PROJECT_OF_FORM} AS project, f.slug AS form, f.name,
      ${sumOf(`c.state = ${INBOX}`)} AS inbox, ${sumOf(`c.state = ${INBOX} AND c.unread = 1`)} AS unread,
      ${sumOf(`c.state = ${SPAM}`)} AS spam, ${sumOf(`c.state = ${ARCHIVED}`)} AS archived,
      ${sumOf(`c.state = ${UNCONFIRMED}`)} AS unconfirmed
    FROM forms f LEFT JOIN submission_counts c ON c.form_id = f.id AND c.state IN (${EVERY}) AND c.${PRESENT}
    WHERE f.deleted = 0 GROUP BY f.id ORDER BY f.slug, project`;
  return all<FormCounts>(sql);
}

/** A fingerprint of the counts of every form, as a text that changes with them. */
export function* printCounts(): Work<string> {
  type Row = { form: number; state: number; unread: number; count: number };
  const rows = yield* all<Row>(`SELECT c.form_id AS form, c.state, c.unread, c.count
    FROM forms f CROSS JOIN submission_counts c
    WHERE c.form_id = f.id AND c.state IN (${EVERY}) AND c.${PRESENT}`);
  const counts = rows.map(({ form, state, unread, count }) => `${form} ${state} ${unread} ${count}`);
  return counts.toSorted().join();
}

/** How many submissions to the form of that key were stored in each span of hours; without `spam`, none of it. */
export function sumStored(formKey: string, spans: readonly Span[], spam = true): Work<StoredSum[]> {
  // A sum for each span and folder takes half as long as one over their join.
  const sumIn = (state: number | undefined) => `(SELECT coalesce(sum(count), 0) FROM submission_counts
    WHERE form_id = (SELECT id FROM forms WHERE key = $formKey) AND state = ${state} AND unread = 1
      AND hour >= CAST(substr(span.value, 1, ${DIGITS}) AS BIGINT)
      AND hour < CAST(substr(span.value, ${DIGITS + 1}) AS BIGINT))`;
  const sql = `SELECT ${sumIn(INBOX)} AS inbox, ${spam ? sumIn(SPAM) : "0"} AS spam
               FROM json_each($spans) AS span ORDER BY span.key`;
  return all<StoredSum>(sql, { formKey, spans: JSON.stringify(spans.map(printSpan)) });
}

/** The same of all forms, or of those of some projects. */
export function sumStoredIn(projects: readonly string[] | null, spans: readonly Span[]): Work<StoredSum[]> {
  const { where, params } = amongProjects(projects);
  const sumIn = (state: number | undefined) => `(SELECT coalesce(sum(c.count), 0)
    FROM forms f CROSS JOIN submission_counts c
    WHERE f.deleted = 0${where} AND c.form_id = f.id AND c.state = ${state} AND c.unread = 1
      AND c.hour >= CAST(substr(span.value, 1, ${DIGITS}) AS BIGINT)
      AND c.hour < CAST(substr(span.value, ${DIGITS + 1}) AS BIGINT))`;
  const sql = `SELECT ${sumIn(INBOX)} AS inbox, ${sumIn(SPAM)} AS spam
               FROM json_each($spans) AS span ORDER BY span.key`;
  return all<StoredSum>(sql, { ...params, spans: JSON.stringify(spans.map(printSpan)) });
}

export function* findOldestUnread(formKey: string, unread: number, limit: number): Work<string | null> {
  const rows = yield* all<{ id: Uint8Array; unread: number }>(
    `SELECT id, unread FROM submissions WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)
       AND state = ${INBOX} ORDER BY id DESC LIMIT $limit`,
    { formKey, limit },
  );
  const found = rows.filter((row) => row.unread === 1);
  return found.length < unread || found.length === 0 ? null : textOf(found.at(-1)!.id);
}

const DIGITS = String(NOW).length;

/** A span as one text of two numbers, of `DIGITS` each. No submission is counted in an hour before 1970. */
function printSpan({ from, to }: Span): string {
  return [from, to].map((hour) => String(Math.min(Math.max(hour, 0), NOW)).padStart(DIGITS, "0")).join("");
}

/** How many submissions to the form of that key, not spam, are stored in each span of time. */
export function* sumBetween(formKey: string, spans: readonly Span[]): Work<number[]> {
  const sql = `SELECT count(*) AS count FROM submissions
    WHERE form_id = (SELECT id FROM forms WHERE key = $formKey) AND state IN (${INBOX}, ${ARCHIVED})
      AND id >= $from AND id < $to`;
  const counts: number[] = [];
  for (const { from, to } of spans) {
    const bounds = { from: bytesOf(firstIdOf(from)), to: bytesOf(firstIdOf(to)) };
    counts.push((yield* only<{ count: number }>(sql, { formKey, ...bounds })).count);
  }
  return counts;
}

const OF_FORM = "form_id = (SELECT id FROM forms WHERE key = $formKey)";

/** Why the newest submissions in the spam folder are spam. */
export function* listSpamReasons(formKey: string, { since, limit }: Newest): Work<string[]> {
  const sql = `SELECT spam FROM submissions WHERE ${OF_FORM} AND state = ${SPAM} AND id >= $from
    ORDER BY id DESC LIMIT $limit`;
  const rows = yield* all<{ spam: string }>(sql, { formKey, from: bytesOf(firstIdOf(since)), limit });
  return rows.map(({ spam }) => spam);
}

/** When the newest submissions were answered or archived first. */
export function listFirstAnswers(
  formKey: string,
  { since, until = Number.MAX_SAFE_INTEGER, limit }: Newest,
): Work<FirstAnswer[]> {
  const folders = [INBOX, ARCHIVED].map(
    (state) =>
      `SELECT id, seq, created_at FROM submissions WHERE ${OF_FORM} AND state = ${state} AND id >= $from AND id < $to`,
  );
  const sql = `SELECT s.created_at AS "createdAt", (SELECT min(at) FROM (
      SELECT at FROM submission_events WHERE submission_seq = s.seq AND kind = 'answered'
      UNION ALL SELECT at FROM submission_marks WHERE submission_seq = s.seq AND mark = 'archived') AS first) AS at
    FROM (${merged(folders)}) AS s ORDER BY s.id DESC`;
  return all<FirstAnswer>(sql, {
    formKey,
    from: bytesOf(firstIdOf(since)),
    to: bytesOf(firstIdOf(until)),
    limit,
  });
}

/** The unread submissions in the inboxes of all forms, or of those of some projects. */
export function* countUnread(projects: readonly string[] | null = null): Work<number> {
  const { where, params } = amongProjects(projects);
  const sql = `SELECT coalesce(sum(c.count), 0) AS count
    FROM forms f CROSS JOIN submission_counts c
    WHERE c.form_id = f.id AND c.state = ${INBOX} AND c.unread = 1 AND c.hour = ${NOW} AND f.deleted = 0${where}`;
  return (yield* only<{ count: number }>(sql, params)).count;
}

/** Submissions of a transaction that were inserted and are still to be counted, together, before it commits. */
export type Uncounted = {
  add(formKey: string, state: SubmissionState, isUnread: boolean, createdAt: number): void;
  /** Counts them, and begins again with none. */
  count(): Work<void>;
};

type Group = { formKey: string; state: SubmissionState; unread: 0 | 1; hour: number; count: number };

export function createUncounted(): Uncounted {
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
    *count() {
      if (groups.length === 0) return;
      const rows = groups.flatMap(rowsOf).toSorted(inOrder);
      groups = [];
      for (const row of rows) yield* addCount(row);
    },
  };
}

type CountRow = { formKey: string; state: number; unread: number; hour: number; count: number };

function rowsOf({ formKey, state, unread, hour, count }: Group): CountRow[] {
  const now = { formKey, state: STATES.indexOf(state), unread, hour: NOW, count };
  return [now, arrivalsIn(formKey, state === "archived" ? INBOX : STATES.indexOf(state), hour, count)];
}

/** Submissions that were stored in an hour. Those from before 1970, which an import has, are in the first one. */
function arrivalsIn(formKey: string, state: number, hour: number, count: number): CountRow {
  return { formKey, state, unread: 1, hour: Math.max(hour, 0), count };
}

/** Counts a submission that its sender has confirmed as one that arrives then, and no longer as one that waits. */
export function* countConfirmed(formKey: string, createdAt: number, now: number): Work<void> {
  yield* addCount(arrivalsIn(formKey, INBOX, hourOf(now), 1));
  yield* run(
    `UPDATE submission_counts SET count = count - 1 WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)
       AND state = ${UNCONFIRMED} AND unread = 1 AND hour = $hour AND count > 0`,
    { formKey, hour: hourOf(createdAt) },
  );
}

/** The order in which every transaction changes rows, so that of two at the same time neither waits for the other. */
function inOrder(a: CountRow, b: CountRow): number {
  if (a.formKey !== b.formKey) return a.formKey < b.formKey ? -1 : 1;
  return a.state - b.state || a.unread - b.unread || a.hour - b.hour;
}

function addCount(row: CountRow): Work<number> {
  return run(
    `INSERT INTO submission_counts (form_id, state, unread, hour, count)
     VALUES ((SELECT id FROM forms WHERE key = $formKey), $state, $unread, $hour, $count)
     ON CONFLICT (form_id, state, unread, hour) DO UPDATE SET count = submission_counts.count + excluded.count`,
    row,
  );
}

const FOUND = `SELECT form_id, state, unread, count(*) AS count FROM submissions GROUP BY form_id, state, unread`;

/** Counts every submission again. */
export function* recountSubmissions(): Work<void> {
  // From here on, others that are not committed wait to count what they change, so they add it to the new counts.
  yield* run(`UPDATE submission_counts SET count = 0 WHERE hour = ${NOW}`);
  yield* run(`INSERT INTO submission_counts (form_id, state, unread, hour, count)
    SELECT form_id, state, unread, ${NOW}, count FROM (${FOUND}) AS found WHERE true
    ON CONFLICT (form_id, state, unread, hour) DO UPDATE SET count = excluded.count`);
}

/** The slugs of forms whose counts differ from their submissions. Reads every submission. */
export function* findWrongCounts(): Work<string[]> {
  const sql = `WITH found AS (${FOUND}),
      stored AS (SELECT form_id, state, unread, count FROM submission_counts WHERE hour = ${NOW} AND count <> 0)
    SELECT slug FROM forms WHERE id IN (
      SELECT form_id FROM (SELECT * FROM found EXCEPT SELECT * FROM stored) AS uncounted
      UNION SELECT form_id FROM (SELECT * FROM stored EXCEPT SELECT * FROM found) AS miscounted) ORDER BY slug`;
  return (yield* all<{ slug: string }>(sql)).map(({ slug }) => slug);
}
