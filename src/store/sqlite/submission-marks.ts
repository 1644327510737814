import type { Database } from "bun:sqlite";
import type { NewDelivery } from "../../delivery/store.ts";
import { noSuchSubmission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionMark, isFolder } from "../../forms/submission-state.ts";
import { insertDeliveries } from "./deliveries.ts";
import { query } from "./statements.ts";
import { bytesOf } from "./submission-ids.ts";

type Row = { seq: number; state: number; unread: number };

/**
 * Marks submissions and queues the deliveries of those that leave the spam folder. Returns how many were not marked so
 * before. Throws `not_found` for an unknown id, and changes nothing.
 */
export function markSubmissions(
  db: Database,
  ids: readonly string[],
  mark: SubmissionMark,
  deliveries: Readonly<Record<string, readonly NewDelivery[]>>,
  now: number,
): number {
  let changed = 0;
  for (const id of new Set(ids)) {
    const row = query<Row, { id: Buffer }>(
      db,
      `SELECT s.seq, s.state, s.unread FROM forms f CROSS JOIN submissions s
       ON s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0`,
    ).get({ id: bytesOf(id) });
    if (!row) throw noSuchSubmission(id);
    const isChanged = isFolder(mark) ? moveTo(db, row, mark) : setUnread(db, row, mark === "unread");
    if (!isChanged) continue;
    changed += 1;
    const hasLeftSpam = isFolder(mark) && row.state === SPAM;
    if (hasLeftSpam) insertDeliveries(db, row.seq, deliveries[id] ?? [], now);
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
