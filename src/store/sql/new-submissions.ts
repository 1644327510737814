import { noSuchForm } from "../../forms/form.ts";
import type { NewDelivery } from "../../delivery/store.ts";
import {
  type Conditions,
  IN_INBOX,
  type Insertion,
  type StoredSubmission,
} from "../../forms/intake/insertion.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { decide, leaveMarks } from "./intake.ts";
import { insertDeliveries } from "./deliveries.ts";
import { bytesOf } from "./submission-ids.ts";
import { FOR_UPDATE, type Work, first, only, run } from "./work.ts";

/**
 * Inserts a submission as its conditions allow; without conditions, into the inbox. It is still to be counted. Throws
 * `not_found` for the form.
 */
export function* insertSubmission(
  submission: Row,
  conditions: Conditions | null,
  deliveries: readonly NewDelivery[],
): Work<Insertion> {
  const { id, formKey, createdAt, files } = submission;
  const form = yield* first<{ id: number }>(`SELECT id FROM forms WHERE key = $formKey ${FOR_UPDATE}`, {
    formKey,
  });
  if (!form) throw noSuchForm(formKey);
  const decision = conditions ? yield* decide(formKey, createdAt, conditions) : IN_INBOX;
  if (decision.kind !== "stored") return decision;
  const { spam } = decision;
  const seq = yield* insertRow(submission, form.id, spam);
  for (const [index, { key, ...file }] of files.entries()) {
    yield* run(
      `INSERT INTO files (submission_seq, position, field, name, type, size, sha256, blob_key)
       VALUES ($seq, $position, $field, $name, $type, $size, $sha256, $key)`,
      { seq, position: index + 1, key, ...file },
    );
  }
  if (conditions) yield* leaveMarks(id, spam, conditions);
  if (spam === null) yield* insertDeliveries(seq, deliveries, createdAt);
  return decision;
}

type Row = Omit<StoredSubmission, "conditions" | "deliveries">;

/** Returns the `seq` of the row. */
function* insertRow(
  { id, data, createdAt, meta = null }: Row,
  formId: number,
  spam: string | null,
): Work<number> {
  const state = STATES.indexOf(spam === null ? "inbox" : "spam");
  const { seq } = yield* only<{ seq: number }>(
    `INSERT INTO submissions (id, form_id, data, created_at, state, spam, unread, meta)
     VALUES ($id, $formId, $data, $createdAt, $state, $spam, 1, $meta) RETURNING seq`,
    { id: bytesOf(id), formId, data, createdAt, state, spam, meta },
  );
  return seq;
}
