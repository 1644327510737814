import { MAX_ATTEMPTS_KEPT } from "../../../delivery/limits.ts";
import { DELIVERY_STATUSES as STATUSES } from "../../../delivery/delivery-status.ts";
import type {
  AnswerContent,
  AttemptRecord,
  DeliveryContent,
  SettledDelivery,
} from "../../../delivery/store.ts";
import { DEFAULT_SETTINGS } from "../../../forms/settings/settings.ts";
import type { StoredConsent } from "../../../forms/opt-in/consent.ts";
import type { RawSubmission } from "../../../forms/submission.ts";
import { QUEUED } from "./deliveries.ts";
import { bytesOf, textOf } from "../ids.ts";
import { OF_FORM } from "../rows.ts";
import { countSubmissions } from "../submissions/counts.ts";
import { COLUMNS, type SubmissionRow, viewRaw } from "../submissions/submissions.ts";
import { type Work, all, first, only, run } from "../work.ts";

/** Records the result of a delivery, if its lease is still that of `holder`. */
export function* settleDelivery(
  holder: string,
  { id, status, attempts, dueAt, code, error, attempt }: SettledDelivery,
): Work<void> {
  const changes = yield* run(
    `UPDATE deliveries
     SET status = $status, attempts = $attempts, due_at = $dueAt, code = $code, error = $error, holder = NULL
     WHERE id = $id AND holder = $holder AND status = ${QUEUED}`,
    { id: bytesOf(id), holder, status: STATUSES.indexOf(status), attempts, dueAt, code, error },
  );
  if (changes > 0 && attempt) yield* recordAttempt(id, { ...attempt, code, error });
}

/**
 * Records an attempt of a delivery, and drops the oldest one past `MAX_ATTEMPTS_KEPT`. The transaction must have changed
 * the delivery, so that no other one numbers an attempt of it at the same time.
 */
function* recordAttempt(delivery: string, { at, duration, code, error }: AttemptRecord): Work<void> {
  const id = bytesOf(delivery);
  const { number } = yield* only<{ number: number }>(
    `INSERT INTO delivery_attempts (delivery, number, at, duration, code, error)
     VALUES ($id, (SELECT coalesce(max(number), 0) + 1 FROM delivery_attempts WHERE delivery = $id),
             $at, $duration, $code, $error)
     RETURNING number`,
    { id, at, duration, code, error },
  );
  if (number <= MAX_ATTEMPTS_KEPT) return;
  yield* run("DELETE FROM delivery_attempts WHERE delivery = $id AND number <= $last", {
    id,
    last: number - MAX_ATTEMPTS_KEPT,
  });
}

/** The attempts of a delivery, oldest first. */
export function listAttempts(delivery: string): Work<AttemptRecord[]> {
  return all("SELECT at, duration, code, error FROM delivery_attempts WHERE delivery = $id ORDER BY number", {
    id: bytesOf(delivery),
  });
}

type ContentRow = SubmissionRow & { mail_from: string | null; name: string; key: string; settings: string };

export function* deliveryContent(submission: string): Work<DeliveryContent | undefined> {
  const row = yield* first<ContentRow>(
    `SELECT ${COLUMNS}, (SELECT mail_from FROM projects WHERE id = f.project_id) AS mail_from, f.name, f.key, f.settings
     FROM forms f CROSS JOIN submissions s
     WHERE ${OF_FORM} AND s.id = $id AND f.deleted = 0`,
    { id: bytesOf(submission) },
  );
  if (!row) return undefined;
  const [{ project, form: slug, ...shown }] = (yield* viewRaw([row])) as [RawSubmission];
  const { name, key, settings, mail_from: mailFrom } = row;
  return {
    form: { ...DEFAULT_SETTINGS, ...JSON.parse(settings), project, mailFrom, slug, name, key },
    submission: { ...shown, createdAt: row.created_at },
    language: row.consent === null ? null : ((JSON.parse(row.consent) as StoredConsent).language ?? null),
    spamCount: yield* countSubmissions(key, ["spam"]),
  };
}

export function* answerContent(delivery: string): Work<AnswerContent | undefined> {
  const row = yield* first<{ text: string; subject: string; thread: Uint8Array }>(
    `SELECT e.text, e.subject, e.thread FROM deliveries d CROSS JOIN submission_events e
     WHERE d.id = $id AND e.submission_seq = d.submission_seq AND e.delivery = d.id`,
    { id: bytesOf(delivery) },
  );
  return row && { ...row, thread: textOf(row.thread) };
}
