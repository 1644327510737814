import { noSuchForm } from "../../../forms/form.ts";
import type { NewDelivery } from "../../../delivery/delivery.ts";
import {
  type Conditions,
  IN_INBOX,
  type Insertion,
  folderOf,
  type StoredSubmission,
  type Mark,
} from "../../../forms/intake/insertion.ts";
import { SUBMISSION_STATES as STATES, NOT_SPAM } from "../../../forms/submission-state.ts";
import { insertDeliveries } from "../delivery/deliveries.ts";
import { bytesOf, textOf } from "../ids.ts";
import { FOR_UPDATE, type Work, first, only, run, SKIP_LOCKED } from "../work.ts";
import { fillSegments } from "../memberships/members.ts";
import { countSubmissions } from "./counts.ts";
import { addStored, findSpent, sizeOf } from "./quota.ts";

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
  const form = yield* first<{ id: number; fills: number }>(
    `SELECT id, fills FROM forms WHERE key = $formKey ${FOR_UPDATE}`,
    { formKey },
  );
  if (!form) throw noSuchForm(formKey);
  const bytes = conditions?.quota ? sizeOf(submission) : 0;
  const decision = conditions ? yield* decide(formKey, createdAt, conditions, bytes) : IN_INBOX;
  if (decision.kind !== "stored") return decision;
  if (conditions?.quota && conditions.quota.maxStorage !== null) yield* addStored(formKey, bytes);
  const { spam, waits } = decision;
  const seq = yield* insertRow(submission, form.id, decision, conditions);
  for (const [index, { key, ...file }] of files.entries()) {
    yield* run(
      `INSERT INTO files (submission_seq, position, field, name, type, size, sha256, blob_key)
       VALUES ($seq, $position, $field, $name, $type, $size, $sha256, $key)`,
      { seq, position: index + 1, key, ...file },
    );
  }
  if (conditions) yield* recordMarks(id, spam, conditions);
  if (spam === null) yield* insertDeliveries(seq, deliveries, createdAt);
  const fills = form.fills === 1 && spam === null && waits !== true;
  if (fills && (yield* fillSegments(form.id, [{ seq, data: submission.data }])))
    return { kind: "stored", spam, fills };
  return decision;
}

type Row = Omit<StoredSubmission, "conditions" | "deliveries" | "measured">;

/** Returns the `seq` of the row. */
function* insertRow(
  { id, data, createdAt, meta = null, flags = null }: Row,
  formId: number,
  decision: Insertion & { kind: "stored" },
  conditions: Conditions | null,
): Work<number> {
  const state = STATES.indexOf(folderOf(decision));
  const { spam } = decision;
  const { unchecked = null, consent = null } = conditions ?? {};
  const { seq } = yield* only<{ seq: number }>(
    `INSERT INTO submissions (id, form_id, data, created_at, state, spam, unread, meta, flags, unchecked, consent)
     VALUES ($id, $formId, $data, $createdAt, $state, $spam, 1, $meta, $flags, $unchecked, $consent) RETURNING seq`,
    { id: bytesOf(id), formId, data, createdAt, state, spam, meta, flags, unchecked, consent },
  );
  return seq;
}

/** Tables of hashes that count until they expire. */
const EXPIRING = [
  "idempotency_keys",
  "spent_nonces",
  "recent_contents",
  "recent_feedback",
  "autoreplies",
  "confirmations",
] as const;

type MarkTable = "spent_nonces" | "recent_contents";

/**
 * Decides about a submission to a form, by what is stored. Changes nothing. Holds for an insert if the row of the form
 * is locked: all that it depends on belongs to the form.
 */
export function* decide(formKey: string, now: number, conditions: Conditions, bytes = 0): Work<Insertion> {
  const decision = yield* decideAlone(formKey, now, conditions);
  if (decision.kind !== "stored" || !conditions.quota) return decision;
  const spent = yield* findSpent(formKey, now, bytes, conditions.quota);
  return spent === null ? decision : { kind: spent };
}

/** The decision by what the form holds, whatever its project does. */
function* decideAlone(formKey: string, now: number, conditions: Conditions): Work<Insertion> {
  const { key, maxSubmissions, keepsSpam } = conditions;
  const known = key && (yield* findKey(key.hash, now));
  if (key && known) {
    const isSame = known.content === key.content;
    return isSame ? { kind: "replayed", id: known.submission } : { kind: "other-content" };
  }
  const spam = conditions.spam ?? (yield* findSpam(now, conditions));
  if (spam !== null) return keepsSpam ? { kind: "stored", spam } : { kind: "spam", reason: spam };
  const isFull = maxSubmissions !== null && (yield* countSubmissions(formKey, NOT_SPAM)) >= maxSubmissions;
  if (isFull) return { kind: "full" };
  const learned = conditions.learned ?? null;
  if (learned !== null) return { kind: "stored", spam: learned };
  return conditions.consent ? { kind: "stored", spam: null, waits: true } : { kind: "stored", spam: null };
}

/** Records what a submission that is stored leaves behind: its key, its solved challenge, its content. */
function* recordMarks(id: string, spam: string | null, conditions: Conditions): Work<void> {
  const { key, recent, challenge } = conditions;
  if (key) {
    const { expiresAt } = key;
    yield* run(
      `INSERT INTO idempotency_keys (hash, content, submission, expires_at)
       VALUES ($hash, $content, $id, $expiresAt)
       ON CONFLICT (hash) DO UPDATE
       SET content = excluded.content, submission = excluded.submission, expires_at = excluded.expires_at`,
      { hash: bytesOf(key.hash), content: bytesOf(key.content), id: bytesOf(id), expiresAt },
    );
  }
  // Other spam does not count: a person whose challenge had expired sends the same again.
  if (recent && (spam === null || spam === "duplicate")) yield* mark("recent_contents", recent);
  if (spam === null && challenge?.nonce) yield* mark("spent_nonces", challenge.nonce);
}

/** The submission that came with an idempotency key, by the key's hash, unless that has expired. */
function* findKey(hash: string, now: number): Work<{ content: string; submission: string } | undefined> {
  const row = yield* first<{ content: Uint8Array; submission: Uint8Array }>(
    "SELECT content, submission FROM idempotency_keys WHERE hash = $hash AND expires_at > $now",
    { hash: bytesOf(hash), now },
  );
  return row && { content: row.content.toHex(), submission: textOf(row.submission) };
}

/** Removes at most `limit` rows of each kind that have expired. Returns whether any may be left. */
export function* clearExpired(now: number, limit: number): Work<boolean> {
  let isLeft = false;
  for (const table of EXPIRING) {
    const sql = `DELETE FROM ${table} WHERE hash IN
                 (SELECT hash FROM ${table} WHERE expires_at <= $now LIMIT $limit ${SKIP_LOCKED})`;
    if ((yield* run(sql, { now, limit })) >= limit) isLeft = true;
  }
  yield* run("DELETE FROM alerts WHERE expires_at <= $now", { now });
  return isLeft;
}

function* findSpam(now: number, { recent, challenge }: Conditions): Work<string | null> {
  if (recent && (yield* isMarked("recent_contents", recent, now))) return "duplicate";
  if (challenge === null) return null;
  const isSolved = challenge.nonce !== null && !(yield* isMarked("spent_nonces", challenge.nonce, now));
  return isSolved ? null : "challenge";
}

function* isMarked(table: MarkTable, { hash }: Mark, now: number): Work<boolean> {
  const sql = `SELECT 1 FROM ${table} WHERE hash = $hash AND expires_at > $now`;
  return (yield* first(sql, { hash: bytesOf(hash), now })) !== undefined;
}

function mark(table: MarkTable, { hash, expiresAt }: Mark): Work<number> {
  return run(
    `INSERT INTO ${table} (hash, expires_at) VALUES ($hash, $expiresAt)
     ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at`,
    { hash: bytesOf(hash), expiresAt },
  );
}
