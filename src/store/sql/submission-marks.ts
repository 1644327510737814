import type { Author } from "../../access/caller.ts";
import type { NewDelivery } from "../../delivery/store.ts";
import { MAX_MARKS_KEPT } from "../../forms/limits.ts";
import type { MarkRecord } from "../../forms/store.ts";
import { noSuchSubmission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionMark, isFolder } from "../../forms/submission-state.ts";
import { insertDeliveries } from "./deliveries.ts";
import { bytesOf } from "./submission-ids.ts";
import { type KnownSubmission, lockSubmissions } from "./submissions.ts";
import { type Work, all, run } from "./work.ts";

/**
 * Marks submissions and queues the deliveries of those that leave the spam folder. Returns those that were not marked so
 * before. Throws `not_found` for an unknown id, and changes nothing.
 */
export function* markSubmissions(
  ids: readonly string[],
  mark: SubmissionMark,
  deliveries: Readonly<Record<string, readonly NewDelivery[]>>,
  by: Author,
): Work<string[]> {
  const known = yield* lockSubmissions(ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw noSuchSubmission(unknown);
  const changed: string[] = [];
  for (const [id, row] of known) {
    const isChanged = isFolder(mark) ? yield* moveTo(row, mark) : yield* setUnread(row, mark === "unread");
    if (!isChanged) continue;
    changed.push(id);
    const hasLeftSpam = isFolder(mark) && row.state === SPAM;
    yield* record(row.seq, { mark, spam: hasLeftSpam ? row.spam : null, who: by.who, at: by.at });
    if (hasLeftSpam) yield* insertDeliveries(row.seq, deliveries[id] ?? [], by.at);
  }
  return changed;
}

const SPAM = STATES.indexOf("spam");

function* moveTo({ seq, state }: KnownSubmission, folder: (typeof STATES)[number]): Work<boolean> {
  if (STATES[state] === folder) return false;
  yield* run("UPDATE submissions SET state = $state, spam = $spam WHERE seq = $seq", {
    state: STATES.indexOf(folder),
    spam: folder === "spam" ? "manual" : null,
    seq,
  });
  return true;
}

function* setUnread({ seq, unread }: KnownSubmission, isUnread: boolean): Work<boolean> {
  if ((unread === 1) === isUnread) return false;
  yield* run("UPDATE submissions SET unread = $unread WHERE seq = $seq", { unread: isUnread ? 1 : 0, seq });
  return true;
}

/** Records a mark, and drops the oldest ones past `MAX_MARKS_KEPT`. */
function* record(seq: number, { mark, spam, who, at }: MarkRecord): Work<void> {
  yield* run(
    "INSERT INTO submission_marks (submission_seq, mark, spam, who, at) VALUES ($seq, $mark, $spam, $who, $at)",
    { seq, mark, spam, who, at },
  );
  yield* run(
    `DELETE FROM submission_marks WHERE submission_seq = $seq AND id NOT IN (
       SELECT id FROM submission_marks WHERE submission_seq = $seq ORDER BY id DESC LIMIT $kept)`,
    { seq, kept: MAX_MARKS_KEPT },
  );
}

/** The marks of a submission, oldest first. */
export function listMarks(id: string): Work<MarkRecord[]> {
  return all<MarkRecord>(
    `SELECT m.mark, m.spam, m.who, m.at
     FROM forms f CROSS JOIN submissions s CROSS JOIN submission_marks m
     WHERE s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0 AND m.submission_seq = s.seq
     ORDER BY m.id`,
    { id: bytesOf(id) },
  );
}
