import type { Author } from "../../../access/caller.ts";
import { AppError } from "../../../base/errors.ts";
import type { NewDelivery } from "../../../delivery/delivery.ts";
import { MAX_MARKS_KEPT } from "../../../forms/limits.ts";
import type { MarkRecord } from "../../../forms/inbox/handling-store.ts";
import { noSuchSubmission } from "../../../forms/submission.ts";
import {
  MANUAL_SPAM,
  SUBMISSION_STATES as STATES,
  type SubmissionMark,
  isFolder,
} from "../../../forms/submission-state.ts";
import { allAmong, runAmong } from "../lists.ts";
import { emptySegments, fillSegments, keepSources } from "../memberships/members.ts";
import { insertDeliveries, resumeDeliveries } from "../delivery/deliveries.ts";
import { insertRows } from "../lists.ts";
import { bytesOf } from "../ids.ts";
import { FILLS, OF_FORM } from "../rows.ts";
import type * as Learning from "./learning.ts";
import { type KnownSubmission, lockSubmissions } from "./submissions.ts";
import { type Value, type Work, all } from "../work.ts";

/**
 * Marks submissions and queues the deliveries of the ones that leave the spam folder: one whose sender was to confirm it waits
 * for that again, unless it has a list of deliveries, which may be empty, without a request to confirm. Returns the
 * changed ids. Throws `not_found` for an unknown id and `conflict` to keep one that waits, and then changes nothing.
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
  const isKept = isFolder(mark) && mark !== "spam";
  const waiting = [...known].find(([, { state }]) => isKept && state === UNCONFIRMED);
  if (waiting) throw waitsForSender(waiting[0]);
  const changed = [...known].filter(([, row]) => !hasMark(row, mark));
  const seqs = changed.map(([, { seq }]) => seq);
  if (mark === "spam") yield* emptySegments(seqs);
  const isAsked = (id: string) => deliveries[id]?.some(({ kind }) => kind === "confirmation") ?? true;
  const isAwaited = (row: KnownSubmission) =>
    isKept && row.state === SPAM && row.consent !== null && row.confirmed_at === null;
  const awaited = changed.filter(([id, row]) => isAwaited(row) && isAsked(id)).map(([, { seq }]) => seq);
  yield* setMark(
    seqs.filter((seq) => !awaited.includes(seq)),
    mark,
  );
  yield* runAmong(
    awaited,
    (list) => `UPDATE submissions SET state = ${UNCONFIRMED}, spam = NULL WHERE seq IN ${list}`,
  );
  const hasLeftSpam = ({ state }: KnownSubmission) => isFolder(mark) && state === SPAM;
  yield* record(changed.map(([, row]) => [row.seq, mark, hasLeftSpam(row) ? row.spam : null, by.who, by.at]));
  const learning = changed.filter(([, { learn }]) => learn === 1);
  if (isFolder(mark) && learning.length > 0)
    yield* (require("./learning.ts") as typeof Learning).learnMoves(learning, mark, by.at);
  yield* fillAgain(changed.flatMap(([, row]) => (hasLeftSpam(row) ? [row.seq] : [])));
  for (const [id, row] of changed) {
    if (!hasLeftSpam(row)) continue;
    // Deliveries of a submission that a person filed as spam had begun before, even if their records have expired.
    const hasBegun = row.spam === MANUAL_SPAM && (isAsked(id) || !isAwaited(row));
    const queue = hasBegun ? resumeDeliveries : insertDeliveries;
    yield* queue(row.seq, deliveries[id] ?? [], by.at);
  }
  return changed.map(([id]) => id);
}

/** Makes members of those in submissions that have left the spam folder. */
function* fillAgain(seqs: readonly number[]): Work<void> {
  if (seqs.length === 0) return;
  yield* keepSources(seqs);
  const rows = yield* allAmong<{ seq: number; data: string; form_id: number }>(
    seqs,
    (list) => `SELECT s.seq, s.data, s.form_id FROM submissions s JOIN forms f ON f.id = s.form_id
      WHERE f.fills = 1 AND ${FILLS} AND s.seq IN ${list}`,
  );
  for (const form of new Set(rows.map((row) => row.form_id)))
    yield* fillSegments(
      form,
      rows.filter((row) => row.form_id === form),
    );
}

const [SPAM, UNCONFIRMED] = [STATES.indexOf("spam"), STATES.indexOf("unconfirmed")];

function waitsForSender(id: string): AppError {
  return new AppError("conflict", `submission ${id} waits for its sender to confirm it`, {
    reason: "submission-unconfirmed",
    hint: "it can be marked as spam, or deleted",
  });
}

function hasMark({ state, unread }: KnownSubmission, mark: SubmissionMark): boolean {
  return isFolder(mark) ? STATES[state] === mark : (unread === 1) === (mark === "unread");
}

function setMark(seqs: readonly number[], mark: SubmissionMark): Work<void> {
  if (isFolder(mark)) {
    const params = { state: STATES.indexOf(mark), spam: mark === "spam" ? MANUAL_SPAM : null };
    const sql = "UPDATE submissions SET state = $state, spam = $spam WHERE seq IN";
    return runAmong(seqs, (list) => `${sql} ${list}`, params);
  }
  const unread = mark === "unread" ? 1 : 0;
  return runAmong(seqs, (list) => `UPDATE submissions SET unread = $unread WHERE seq IN ${list}`, { unread });
}

/** Records marks, each with the `seq` of its submission first, and drops the oldest ones past `MAX_MARKS_KEPT`. */
function* record(marks: readonly Value[][]): Work<void> {
  if (marks.length === 0) return;
  yield* insertRows("INSERT INTO submission_marks (submission_seq, mark, spam, who, at)", marks, "");
  yield* runAmong(
    marks.map(([seq]) => seq!),
    (list) => `DELETE FROM submission_marks WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY submission_seq ORDER BY id DESC) AS number
         FROM submission_marks WHERE submission_seq IN ${list}
       ) AS numbered WHERE number > $kept)`,
    { kept: MAX_MARKS_KEPT },
  );
}

/** The marks of a submission, oldest first. */
export function listMarks(id: string): Work<MarkRecord[]> {
  return all<MarkRecord>(
    `SELECT m.mark, m.spam, m.who, m.at
     FROM forms f CROSS JOIN submissions s CROSS JOIN submission_marks m
     WHERE ${OF_FORM} AND s.id = $id AND f.deleted = 0 AND m.submission_seq = s.seq
     ORDER BY m.id`,
    { id: bytesOf(id) },
  );
}
