import type { Author } from "../../../access/caller.ts";
import {
  type HandlingKind,
  type HandlingRecord,
  type LabelChange,
  changedLabels,
  labelsOf,
  labelsText,
} from "../../../forms/inbox/handling.ts";
import type { NewAnswer } from "../../../forms/inbox/handling-store.ts";
import { HANDLING_LIMITS, MAX_EVENTS_KEPT } from "../../../forms/limits.ts";
import { SUBMISSION_STATES as STATES } from "../../../forms/submission-state.ts";
import { noSuchSubmission } from "../../../forms/submission.ts";
import { replyTarget } from "../../../delivery/delivery.ts";
import { bytesOf, textOf } from "../ids.ts";
import { insertRows, runAmong } from "../lists.ts";
import { OF_FORM, amongProjects } from "../rows.ts";
import { type Value, type Work, all, first, merged, only, run } from "../work.ts";
import type * as Learning from "./learning.ts";
import { type KnownSubmission, formIdOf, lockSubmissions } from "./submissions.ts";

function* lockKnown(ids: readonly string[]): Work<Map<string, KnownSubmission>> {
  const known = yield* lockSubmissions(ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw noSuchSubmission(unknown);
  return known;
}

export function* assignSubmissions(
  ids: readonly string[],
  assignee: string | null,
  by: Author,
): Work<string[]> {
  const changed = [...(yield* lockKnown(ids))].filter(([, row]) => row.assignee !== assignee);
  const seqs = changed.map(([, { seq }]) => seq);
  yield* runAmong(seqs, (list) => `UPDATE submissions SET assignee = $assignee WHERE seq IN ${list}`, {
    assignee,
  });
  yield* record(
    seqs.map((seq) => ({ seq, kind: "assigned", text: assignee })),
    by,
  );
  return changed.map(([id]) => id);
}

/** Clears the assignee of all submissions of a user who is deleted. */
export function* unassign(assignee: string, by: Author): Work<void> {
  const rows = yield* all<{ seq: number }>(
    // By form and state, as the index of assigned submissions is.
    `SELECT s.seq FROM forms f CROSS JOIN submissions s
     WHERE ${OF_FORM} AND s.assignee IS NOT NULL AND s.assignee = $assignee`,
    { assignee },
  );
  const seqs = rows.map(({ seq }) => seq);
  yield* runAmong(seqs, (list) => `UPDATE submissions SET assignee = NULL WHERE seq IN ${list}`, {});
  yield* record(
    seqs.map((seq) => ({ seq, kind: "assigned", text: null })),
    by,
  );
}

/** Assigned submissions that are read at most, to count the unread ones. */
const MAX_ASSIGNED = 10_000;

/** Counts the unread submissions that are assigned to a user, up to `limit`; those in some projects, or with null in all. */
export function* countUnreadOf(
  assignee: string,
  limit: number,
  projects: readonly string[] | null = null,
): Work<number> {
  const { where, params } = amongProjects(projects);
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM (
      SELECT s.unread FROM forms f CROSS JOIN submissions s
      WHERE s.form_id = f.id AND s.state = ${STATES.indexOf("inbox")} AND s.assignee = $assignee AND f.deleted = 0${where}
      LIMIT ${MAX_ASSIGNED}) AS own WHERE unread = 1 LIMIT $limit) AS found`;
  return (yield* only<{ count: number }>(sql, { ...params, assignee, limit })).count;
}

export function* labelSubmissions(ids: readonly string[], change: LabelChange, by: Author): Work<string[]> {
  const changed: string[] = [];
  const events: NewEvent[] = [];
  for (const [id, { seq, labels: before }] of yield* lockKnown(ids)) {
    const { labels, added, removed } = changedLabels(labelsOf(before), change);
    if (added.length === 0 && removed.length === 0) continue;
    changed.push(id);
    yield* run("UPDATE submissions SET labels = $labels WHERE seq = $seq", {
      seq,
      labels: labelsText(labels),
    });
    for (const text of removed) events.push({ seq, kind: "unlabeled", text });
    for (const text of added) events.push({ seq, kind: "labeled", text });
  }
  yield* record(events, by);
  return changed;
}

export function* noteSubmission(id: string, text: string, by: Author): Work<void> {
  const { seq } = (yield* lockKnown([id])).get(id)!;
  yield* record([{ seq, kind: "noted", text }], by);
}

/** Milliseconds in which the same answer is one that was sent twice. */
const SENT_TWICE_MS = 60_000;

/**
 * Queues a reply. It continues the thread of the reply before it, or of the automatic reply if its delivery still
 * exists, or else of the submission itself.
 */
export function* answerSubmission(
  id: string,
  { text, subject, delivery }: NewAnswer,
  by: Author,
): Work<string> {
  const known = (yield* lockKnown([id])).get(id)!;
  const { seq } = known;
  type Before = { text: string; delivery: Uint8Array; thread: Uint8Array; who: string; at: number };
  const before = yield* first<Before>(
    `SELECT text, delivery, thread, who, at FROM submission_events
     WHERE submission_seq = $seq AND kind = 'answered' ORDER BY id DESC LIMIT 1`,
    { seq },
  );
  if (before && before.text === text && before.who === by.who && by.at - before.at < SENT_TWICE_MS)
    return textOf(before.delivery);
  const autoreply = yield* first<{ id: Uint8Array }>(
    "SELECT id FROM deliveries WHERE submission_seq = $seq AND kind = 'autoreply' ORDER BY id LIMIT 1",
    { seq },
  );
  const thread = before?.thread ?? autoreply?.id ?? bytesOf(id);
  yield* run(
    `INSERT INTO deliveries (id, submission_seq, kind, target, due_at) VALUES ($id, $seq, 'reply', $target, $at)`,
    { id: bytesOf(delivery.id), seq, target: replyTarget(delivery), at: by.at },
  );
  yield* record([{ seq, kind: "answered", text, subject, delivery: bytesOf(delivery.id), thread }], by);
  const { learnAnswered } = require("./learning.ts") as typeof Learning;
  yield* learnAnswered(id, known, by.at);
  return delivery.id;
}

type NewEvent = {
  seq: number;
  kind: HandlingKind;
  text: string | null;
  delivery?: Uint8Array;
  thread?: Uint8Array;
  subject?: string;
};

/** Records events, and drops the oldest ones past `MAX_EVENTS_KEPT`, of which answers and notes go last. */
function* record(events: readonly NewEvent[], { who, at }: Author): Work<void> {
  if (events.length === 0) return;
  const rows = events.map(({ seq, kind, text, delivery = null, thread = null, subject = null }): Value[] => [
    seq,
    kind,
    text,
    delivery,
    thread,
    subject,
    who,
    at,
  ]);
  yield* insertRows(
    "INSERT INTO submission_events (submission_seq, kind, text, delivery, thread, subject, who, at)",
    rows,
    "",
  );
  yield* runAmong(
    [...new Set(events.map(({ seq }) => seq))],
    (list) => `DELETE FROM submission_events WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY submission_seq
           ORDER BY CASE WHEN kind IN ('noted', 'answered') THEN 0 ELSE 1 END, id DESC) AS number
         FROM submission_events WHERE submission_seq IN ${list}
       ) AS numbered WHERE number > $kept)`,
    { kept: MAX_EVENTS_KEPT },
  );
}

/** The events of a submission, oldest first. */
export function* listEvents(id: string): Work<HandlingRecord[]> {
  const rows = yield* all<Omit<HandlingRecord, "delivery"> & { delivery: Uint8Array | null }>(
    `SELECT e.kind, e.text, e.delivery, e.who, e.at
     FROM forms f CROSS JOIN submissions s CROSS JOIN submission_events e
     WHERE ${OF_FORM} AND s.id = $id AND f.deleted = 0 AND e.submission_seq = s.seq
     ORDER BY e.id`,
    { id: bytesOf(id) },
  );
  return rows.map((row) => ({ ...row, delivery: row.delivery && textOf(row.delivery) }));
}

/** The labels of the newest submissions of a form that have some, in their order. */
export function* listLabels(formKey: string): Work<string[]> {
  const formId = yield* formIdOf(formKey);
  const folders = STATES.map(
    (_, state) => `SELECT id, labels FROM submissions
      WHERE form_id = $formId AND state = ${state} AND labels IS NOT NULL`,
  );
  const limit = HANDLING_LIMITS.offered;
  const rows = yield* all<{ labels: string }>(merged(folders), { formId, limit });
  return [...new Set(rows.flatMap(({ labels }) => labelsOf(labels)))].toSorted();
}
