import { AppError } from "../../../base/errors.ts";
import { isoTime } from "../../../base/clock.ts";
import { NOT_SPAM, SUBMISSION_STATES as STATES } from "../../../forms/submission-state.ts";
import { type StoredConsent, consentIn } from "../../../forms/opt-in/consent.ts";
import type { Awaited, Confirming } from "../../../forms/opt-in/opt-in-store.ts";
import { memberValues } from "../../../flags/members.ts";
import { noSuchSubmission } from "../../../forms/submission.ts";
import { countMeasured } from "../experiments/counting.ts";
import { insertDeliveries } from "../delivery/deliveries.ts";
import { bytesOf } from "../ids.ts";
import { allAmong, runAmong } from "../lists.ts";
import { emptySegments, fillSegments } from "../memberships/members.ts";
import { FOR_UPDATE, type Work, first, only, run } from "../work.ts";
import { countConfirmed, countSubmissions } from "./counts.ts";
import { OF_FORMS, lockSubmissions } from "./submissions.ts";

/** A submission with what its sender agreed to. */
export function* findAwaited(id: string): Work<Awaited | undefined> {
  type Row = Omit<Awaited, "folder" | "consent"> & { state: number; consent: string | null };
  const row = yield* first<Row>(
    `SELECT f.key AS "formKey", s.state, s.data, s.created_at AS "createdAt", s.confirmed_at AS "confirmedAt",
       s.unsubscribed_at AS "unsubscribedAt", s.consent ${OF_FORMS} AND s.id = $id`,
    { id: bytesOf(id) },
  );
  if (!row) return undefined;
  const { state, consent, ...rest } = row;
  return {
    ...rest,
    folder: STATES[state]!,
    consent: consent === null ? null : (JSON.parse(consent) as StoredConsent),
  };
}

/** Locks the form of a submission. Throws `not_found`. */
function* lockFormOf(id: string): Work<{ id: number; key: string; fills: number }> {
  const form = yield* first<{ id: number; key: string; fills: number }>(
    `SELECT id, key, fills FROM forms WHERE id = (SELECT s.form_id ${OF_FORMS} AND s.id = $id) ${FOR_UPDATE}`,
    { id: bytesOf(id) },
  );
  if (!form) throw noSuchSubmission(id);
  return form;
}

/**
 * Moves a submission that waits for its sender to the inbox, as one that arrives at that time. Returns false, and changes nothing,
 * for one that was confirmed before. Throws `not_found` for one that does not wait, `conflict` for a full form.
 */
export function* confirmSubmission(
  id: string,
  { at, address, maxSubmissions, deliveries, measured }: Confirming,
): Work<boolean> {
  const form = yield* lockFormOf(id);
  const row = (yield* lockSubmissions([id])).get(id);
  if (row?.confirmed_at != null) return false;
  if (!row || STATES[row.state] !== "unconfirmed") throw noSuchSubmission(id);
  if (maxSubmissions !== null && (yield* countSubmissions(form.key, NOT_SPAM)) >= maxSubmissions)
    throw new AppError("conflict", "this form has reached its maximum number of submissions", {
      reason: "form-full",
    });
  const { seq } = row;
  const { data, createdAt } = yield* only<{ data: string; createdAt: number }>(
    'SELECT data, created_at AS "createdAt" FROM submissions WHERE seq = $seq',
    { seq },
  );
  // In the order in which submissions that are stored are counted.
  yield* countConfirmed(form.key, createdAt, at);
  const consent = JSON.stringify({ ...consentIn(JSON.parse(row.consent!)), at: isoTime(at), address });
  yield* run(
    `UPDATE submissions SET state = ${STATES.indexOf("inbox")}, confirmed_at = $confirmedAt, consent = $consent WHERE seq = $seq`,
    { seq, confirmedAt: isoTime(at), consent },
  );
  yield* insertDeliveries(seq, deliveries, at);
  if (form.fills === 1) yield* fillSegments(form.id, [{ seq, data }]);
  yield* countMeasured(measured);
  return true;
}

/**
 * Takes the sender of a submission out of the segments that its form fills, by some values in other submissions too, and marks
 * these submissions. Returns false, and changes nothing, for one that was marked before. Throws `not_found`.
 */
export function* unsubscribe(id: string, values: readonly string[], at: number): Work<boolean> {
  const form = yield* lockFormOf(id);
  const row = (yield* lockSubmissions([id])).get(id);
  if (!row) throw noSuchSubmission(id);
  if (row.unsubscribed_at !== null) return false;
  const others = yield* allAmong<{ seq: number }>(
    memberValues(values),
    (list) => `SELECT DISTINCT m.submission_seq AS seq FROM segment_sources o JOIN memberships m
        ON m.environment_id = o.environment_id AND m.segment = o.segment
      WHERE o.form_id = $formId AND m.value IN ${list}`,
    { formId: form.id },
  );
  const seqs = [...new Set([row.seq, ...others.map(({ seq }) => seq)])];
  yield* emptySegments(seqs);
  yield* runAmong(
    seqs,
    (list) => `UPDATE submissions SET unsubscribed_at = $at WHERE unsubscribed_at IS NULL AND seq IN ${list}`,
    { at: isoTime(at) },
  );
  return true;
}
