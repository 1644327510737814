import type { Database } from "bun:sqlite";
import type { Author } from "../../access/caller.ts";
import type { NewDelivery } from "../../delivery/store.ts";
import { MAX_MARKS_KEPT } from "../../forms/limits.ts";
import type { MarkRecord } from "../../forms/store.ts";
import { noSuchSubmission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionMark, isFolder } from "../../forms/submission-state.ts";
import { insertDeliveries } from "./deliveries.ts";
import { query } from "./statements.ts";
import { bytesOf } from "../sql/submission-ids.ts";

type Row = { seq: number; state: number; spam: string | null; unread: number };

/**
 * Marks submissions and queues the deliveries of those that leave the spam folder. Returns those that were not marked so
 * before. Throws `not_found` for an unknown id, and changes nothing.
 */
export function markSubmissions(
  db: Database,
  ids: readonly string[],
  mark: SubmissionMark,
  deliveries: Readonly<Record<string, readonly NewDelivery[]>>,
  by: Author,
): string[] {
  const changed: string[] = [];
  for (const id of new Set(ids)) {
    const row = query<Row, { id: Buffer }>(
      db,
      `SELECT s.seq, s.state, s.spam, s.unread FROM forms f CROSS JOIN submissions s
       ON s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0`,
    ).get({ id: bytesOf(id) });
    if (!row) throw noSuchSubmission(id);
    const isChanged = isFolder(mark) ? moveTo(db, row, mark) : setUnread(db, row, mark === "unread");
    if (!isChanged) continue;
    changed.push(id);
    const hasLeftSpam = isFolder(mark) && row.state === SPAM;
    record(db, row.seq, { mark, spam: hasLeftSpam ? row.spam : null, who: by.who, at: by.at });
    if (hasLeftSpam) insertDeliveries(db, row.seq, deliveries[id] ?? [], by.at);
  }
  return changed;
}

const SPAM = STATES.indexOf("spam");

function moveTo(db: Database, { seq, state }: Row, folder: (typeof STATES)[number]): boolean {
  if (STATES[state] === folder) return false;
  query<unknown, [number, string | null, number]>(
    db,
    "UPDATE submissions SET state = ?1, spam = ?2 WHERE seq = ?3",
  ).run(STATES.indexOf(folder), folder === "spam" ? "manual" : null, seq);
  return true;
}

function setUnread(db: Database, { seq, unread }: Row, isUnread: boolean): boolean {
  if ((unread === 1) === isUnread) return false;
  query<unknown, [number, number]>(db, "UPDATE submissions SET unread = ?1 WHERE seq = ?2").run(
    isUnread ? 1 : 0,
    seq,
  );
  return true;
}

/** Records a mark, and drops the oldest ones past `MAX_MARKS_KEPT`. */
function record(db: Database, seq: number, { mark, spam, who, at }: MarkRecord): void {
  query<unknown, [number, string, string | null, string, number]>(
    db,
    "INSERT INTO submission_marks (submission_seq, mark, spam, who, at) VALUES (?1, ?2, ?3, ?4, ?5)",
  ).run(seq, mark, spam, who, at);
  query<unknown, [number, number]>(
    db,
    `DELETE FROM submission_marks WHERE submission_seq = ?1 AND id NOT IN (
       SELECT id FROM submission_marks WHERE submission_seq = ?1 ORDER BY id DESC LIMIT ?2)`,
  ).run(seq, MAX_MARKS_KEPT);
}

/** The marks of a submission, oldest first. */
export function listMarks(db: Database, id: string): MarkRecord[] {
  return query<MarkRecord, { id: Buffer }>(
    db,
    `SELECT m.mark, m.spam, m.who, m.at
     FROM forms f CROSS JOIN submissions s
     ON s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0
     CROSS JOIN submission_marks m ON m.submission_seq = s.seq
     ORDER BY m.id`,
  ).all({ id: bytesOf(id) });
}
