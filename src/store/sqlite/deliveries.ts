import type { Database } from "bun:sqlite";
import { isoTime } from "../../base/clock.ts";
import { type Delivery, type DeliveryKind, noSuchDelivery } from "../../delivery/delivery.ts";
import { DELIVERY_STATUSES as STATUSES, type DeliveryStatus } from "../../delivery/delivery-status.ts";
import type { DeliveryQuery, NewDelivery } from "../../delivery/store.ts";
import { query } from "./statements.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID } from "./submission-rows.ts";

/** Deliveries that one page looks at. */
const MAX_SCANNED = 1000;

/** The lane of a delivery, as the index of queued deliveries has it. */
export const LANE = "CASE WHEN kind IN ('notification', 'autoreply') THEN '' ELSE target END";

export const QUEUED = STATUSES.indexOf("queued");
const FAILED = STATUSES.indexOf("failed");
const CANCELLED = STATUSES.indexOf("cancelled");

type Row = {
  id: Uint8Array;
  submission: Uint8Array;
  form: string;
  form_key: string;
  kind: DeliveryKind;
  target: string;
  status: number;
  attempts: number;
  due_at: number;
  code: number | null;
  error: string | null;
};

const COLUMNS = `
  d.id, s.id AS submission, f.slug AS form, f.key AS form_key, d.kind, d.target, d.status, d.attempts, d.due_at,
  d.code, d.error`;

const JOINS =
  "JOIN submissions s ON s.seq = d.submission_seq JOIN forms f ON f.id = s.form_id AND f.deleted = 0";

/** Inserts the deliveries of a submission. Of those that it has already, cancelled ones are queued again. */
export function insertDeliveries(
  db: Database,
  seq: number,
  deliveries: readonly NewDelivery[],
  now: number,
): void {
  for (const { id, kind, target, limit } of deliveries) {
    if (limit && !takeAutoreply(db, seq, limit, now)) continue;
    query<unknown, [string, number, string, string, number]>(
      db,
      `INSERT INTO deliveries (id, submission_seq, kind, target, due_at) VALUES (unhex(?1, '-'), ?2, ?3, ?4, ?5)
       ON CONFLICT (submission_seq, kind, target)
       DO UPDATE SET status = ${QUEUED}, attempts = 0, due_at = ?5 WHERE status = ${CANCELLED}`,
    ).run(id, seq, kind, target, now);
  }
}

/** Records an automatic reply, unless the address got one lately or the form has sent too many. Returns whether it did. */
function takeAutoreply(
  db: Database,
  seq: number,
  { hash, expiresAt, since, most }: NonNullable<NewDelivery["limit"]>,
  now: number,
): boolean {
  const known = query<unknown, [string, number]>(
    db,
    "SELECT 1 FROM autoreplies WHERE hash = unhex(?1) AND expires_at > ?2",
  ).get(hash, now);
  if (known !== null) return false;
  // Every reply of a form expires after the same time.
  const lately = query<{ count: number }, [number, number, number]>(
    db,
    `SELECT count(*) AS count FROM (SELECT 1 FROM autoreplies
       WHERE form_id = (SELECT form_id FROM submissions WHERE seq = ?1) AND expires_at > ?2 LIMIT ?3)`,
  ).get(seq, expiresAt - (now - since), most)!;
  if (lately.count >= most) return false;
  query<unknown, [string, number, number]>(
    db,
    `INSERT OR REPLACE INTO autoreplies (hash, form_id, expires_at)
     VALUES (unhex(?1), (SELECT form_id FROM submissions WHERE seq = ?2), ?3)`,
  ).run(hash, seq, expiresAt);
  return true;
}

export function pageDeliveries(
  db: Database,
  { limit, before, formKey, submission, status }: DeliveryQuery,
): { items: Delivery[]; next: string | null } {
  const from = submission === null ? sourceOf(db, status) : `(SELECT d.* ${BY_SUBMISSION}) d`;
  // The join is in the order of the ids, and reads no more rows than are looked at.
  const sql = `SELECT ${COLUMNS} FROM ${from} CROSS JOIN submissions s ON s.seq = d.submission_seq
               CROSS JOIN forms f ON f.id = s.form_id
               WHERE d.id < $before ${status === "failed" ? `AND d.status = ${FAILED}` : ""} ORDER BY d.id DESC LIMIT ${MAX_SCANNED}`;
  const values = {
    before: before === null ? AFTER_EVERY_ID : bytesOf(before),
    ...(submission !== null && { submission: bytesOf(submission) }),
  };
  const items: Delivery[] = [];
  let scanned = 0;
  let last: Row | undefined;
  for (const row of query<Row, Record<string, Buffer>>(db, sql).iterate(values)) {
    const isChosen =
      (formKey === null || row.form_key === formKey) && (status === null || STATUSES[row.status] === status);
    if (isChosen && items.length === limit) return { items, next: items.at(-1)!.id };
    if (isChosen) items.push(view(row));
    scanned += 1;
    last = row;
  }
  return { items, next: scanned === MAX_SCANNED ? textOf(last!.id) : null };
}

/** What a page reads: failed deliveries, and few queued ones, by their indexes, the others as they come. */
function sourceOf(db: Database, status: DeliveryStatus | null): string {
  if (status === "failed") return "deliveries d INDEXED BY deliveries_failed";
  const isFew = status === "queued" && countDeliveries(db, "queued", MAX_SCANNED) < MAX_SCANNED;
  return isFew
    ? `(SELECT * FROM deliveries INDEXED BY deliveries_queued WHERE status = ${QUEUED}) d`
    : "deliveries d";
}

/** The deliveries of one submission: the index of submissions begins with form and state. */
const BY_SUBMISSION = `FROM forms f CROSS JOIN submissions s
  ON s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $submission AND f.deleted = 0
  CROSS JOIN deliveries d ON d.submission_seq = s.seq`;

export function findDelivery(db: Database, id: string): Delivery | undefined {
  const sql = `SELECT ${COLUMNS} FROM deliveries d ${JOINS} WHERE d.id = $id`;
  const row = query<Row, { id: Buffer }>(db, sql).get({ id: bytesOf(id) });
  return row ? view(row) : undefined;
}

/** Queues deliveries at `now`, unless they are being sent. Throws `not_found` for an unknown id. */
export function retryDeliveries(db: Database, ids: readonly string[], now: number): void {
  for (const id of ids) {
    if (findDelivery(db, id) === undefined) throw noSuchDelivery(id);
    query<unknown, [number, string]>(db, `${RETRY} WHERE id = unhex(?2, '-') AND holder IS NULL`).run(
      now,
      id,
    );
  }
}

/** Queues at most `limit` failed deliveries again, of the form of that key unless it is null. Returns how many. */
export function retryFailed(db: Database, formKey: string | null, now: number, limit: number): number {
  return query<unknown, [number, string | null, number]>(
    db,
    `${RETRY} WHERE id IN (
       SELECT d.id FROM deliveries d ${JOINS}
       WHERE d.status = ${FAILED} AND (?2 IS NULL OR f.key = ?2) LIMIT ?3)`,
  ).run(now, formKey, limit).changes;
}

const RETRY = `UPDATE deliveries SET status = ${QUEUED}, attempts = 0, due_at = ?1, holder = NULL`;

/** Removes at most `limit` ended deliveries that are due for it. Returns whether any may be left. */
export function clearEnded(db: Database, now: number, limit: number): boolean {
  const ended = STATUSES.keys().filter((status) => status !== QUEUED);
  const removed = [...ended].map(
    (status) =>
      query<unknown, { now: number; limit: number }>(
        db,
        `DELETE FROM deliveries WHERE id IN (
           SELECT id FROM deliveries WHERE status = ${status} AND status <> 0 AND due_at <= $now LIMIT $limit)`,
      ).run({ now, limit }).changes,
  );
  return removed.some((count) => count >= limit);
}

export function countDeliveries(db: Database, status: DeliveryStatus, atMost: number): number {
  // The indexes hold either status as a constant.
  const sql = `SELECT count(*) AS count FROM
    (SELECT 1 FROM deliveries WHERE status = ${STATUSES.indexOf(status)} LIMIT $atMost)`;
  return query<{ count: number }, { atMost: number }>(db, sql).get({ atMost })!.count;
}

function view({ id, submission, form_key: _key, due_at, status, ...row }: Row): Delivery {
  return {
    id: textOf(id),
    submission: textOf(submission),
    form: row.form,
    kind: row.kind,
    target: row.target,
    status: STATUSES[status]!,
    attempts: row.attempts,
    nextAt: status === QUEUED ? isoTime(due_at) : null,
    code: row.code,
    error: row.error,
  };
}
