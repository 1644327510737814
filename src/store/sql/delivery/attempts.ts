import { MAX_ATTEMPTS_KEPT } from "../../../delivery/limits.ts";
import { DELIVERY_STATUSES as STATUSES } from "../../../delivery/delivery-status.ts";
import type {
  AnswerContent,
  AttemptRecord,
  DeliveryContent,
  SettledDelivery,
} from "../../../delivery/store.ts";
import { DEFAULT_SETTINGS } from "../../../forms/settings/settings.ts";
import { SUBMISSION_STATES as STATES } from "../../../forms/submission-state.ts";
import { labelsOf } from "../../../forms/inbox/handling.ts";
import { QUEUED } from "./deliveries.ts";
import { PROJECT_OF_FORM } from "../rows.ts";
import { bytesOf, textOf } from "../ids.ts";
import { countSubmissions } from "../submissions/counts.ts";
import type { SubmissionRow } from "../submissions/submissions.ts";
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

type ContentRow = Omit<SubmissionRow, "id" | "form"> & {
  mail_from: string | null;
  slug: string;
  name: string;
  key: string;
  settings: string;
};

type FileRow = DeliveryContent["submission"]["files"][number];

export function* deliveryContent(submission: string): Work<DeliveryContent | undefined> {
  const row = yield* first<ContentRow>(
    `SELECT s.seq, ${PROJECT_OF_FORM} AS project,
            (SELECT mail_from FROM projects WHERE id = f.project_id) AS mail_from, f.slug, f.name, f.key, f.settings, s.data, s.created_at, s.state, s.spam, s.unread, s.meta, s.flags, s.assignee, s.labels
     FROM forms f CROSS JOIN submissions s
     WHERE s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0`,
    { id: bytesOf(submission) },
  );
  if (!row) return undefined;
  const {
    seq,
    project,
    slug,
    name,
    key,
    settings,
    data,
    created_at,
    state,
    spam,
    unread,
    meta,
    flags,
    assignee,
    labels,
  } = row;
  const files = yield* all<FileRow>(
    "SELECT field, name, type, size, sha256 FROM files WHERE submission_seq = $seq ORDER BY position",
    { seq },
  );
  return {
    form: { ...DEFAULT_SETTINGS, ...JSON.parse(settings), project, mailFrom: row.mail_from, slug, name, key },
    submission: {
      id: submission,
      data,
      createdAt: created_at,
      state: STATES[state]!,
      spam,
      read: unread === 0,
      meta,
      flags,
      assignee,
      labels: labelsOf(labels),
      files,
    },
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
