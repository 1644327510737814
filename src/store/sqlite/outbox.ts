import type { Database } from "bun:sqlite";
import type { DeliveryKind, Lane } from "../../delivery/delivery.ts";
import { DELIVERY_STATUSES as STATUSES, WITHOUT_TARGET } from "../../delivery/delivery-status.ts";
import type { ClaimedDelivery, DeliveryContent, OutboxTurn, SettledDelivery } from "../../delivery/store.ts";
import { DEFAULT_SETTINGS } from "../../forms/settings.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { recordAttempt } from "./attempts.ts";
import { LANE, QUEUED } from "./deliveries.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";
import { countSubmissions } from "../sql/submission-counts.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { FILES } from "./submission-rows.ts";

/** Records results, renews leases and claims due deliveries. Ids of others' leases are ignored. */
export function takeTurn(db: Database, turn: OutboxTurn): ClaimedDelivery[] {
  const { holder, leaseUntil, settled, renewed } = turn;
  for (const each of settled) settle(db, holder, each);
  for (const id of renewed) {
    query<unknown, [number, string, string]>(
      db,
      `UPDATE deliveries SET due_at = ?1 WHERE id = unhex(?2, '-') AND holder = ?3 AND status = ${QUEUED}`,
    ).run(leaseUntil, id, holder);
  }
  return claim(db, turn);
}

function settle(
  db: Database,
  holder: string,
  { id, status, attempts, dueAt, code, error, attempt }: SettledDelivery,
): void {
  const { changes } = query<unknown, [number, number, number, number | null, string | null, string, string]>(
    db,
    `UPDATE deliveries SET status = ?1, attempts = ?2, due_at = ?3, code = ?4, error = ?5, holder = NULL
     WHERE id = unhex(?6, '-') AND holder = ?7 AND status = ${QUEUED}`,
  ).run(STATUSES.indexOf(status), attempts, dueAt, code, error, id, holder);
  if (changes > 0 && attempt) recordAttempt(db, id, { ...attempt, code, error });
}

type Row = {
  id: Uint8Array;
  submission: Uint8Array;
  kind: DeliveryKind;
  target: string;
  attempts: number;
  code: number | null;
  error: string | null;
};

function claim(
  db: Database,
  { holder, now, leaseUntil, blocked, after, perLane, limit }: OutboxTurn,
): ClaimedDelivery[] {
  const claimed: ClaimedDelivery[] = [];
  for (const lane of rotated([...lanes(db)], after)) {
    if (blocked.includes(lane)) continue;
    const rows = query<Row, [string, number, number]>(
      db,
      `SELECT d.id, s.id AS submission, d.kind, d.target, d.attempts, d.code, d.error
       FROM deliveries d JOIN submissions s ON s.seq = d.submission_seq
       WHERE d.status = ${QUEUED} AND ${LANE} = ?1 AND d.due_at <= ?2 ORDER BY d.due_at LIMIT ?3`,
    ).all(lane, now, Math.min(perLane, limit - claimed.length));
    for (const row of rows) {
      query<unknown, [string, number, Uint8Array]>(
        db,
        "UPDATE deliveries SET holder = ?1, due_at = ?2 WHERE id = ?3",
      ).run(holder, leaseUntil, row.id);
      claimed.push({ ...row, id: textOf(row.id), submission: textOf(row.submission) });
    }
    if (claimed.length >= limit) break;
  }
  return claimed;
}

/** The lanes behind `after`, then those up to it. */
function rotated(lanes: Lane[], after: Lane | null): Lane[] {
  if (after === null) return lanes;
  const isBehind = (lane: Lane) => lane > after;
  return [...lanes.filter(isBehind), ...lanes.filter((lane) => !isBehind(lane))];
}

/** The lanes with queued deliveries, sorted: one look-up in the index for each. */
function* lanes(db: Database): Generator<Lane> {
  const next = query<{ lane: string | null }, [string]>(
    db,
    `SELECT min(${LANE}) AS lane FROM deliveries WHERE status = ${QUEUED} AND ${LANE} > ?1`,
  );
  const mail = query<unknown, []>(
    db,
    `SELECT 1 FROM deliveries WHERE status = ${QUEUED} AND ${LANE} = '' LIMIT 1`,
  ).get();
  if (mail !== null) yield "";
  for (let lane = next.get("")!.lane; lane !== null; lane = next.get(lane)!.lane) yield lane;
}

export function nextDelivery(db: Database, blocked: readonly Lane[]): number | null {
  const first = query<{ at: number | null }, [string]>(
    db,
    `SELECT min(due_at) AS at FROM deliveries WHERE status = ${QUEUED} AND ${LANE} = ?1`,
  );
  let next: number | null = null;
  for (const lane of lanes(db)) {
    if (blocked.includes(lane)) continue;
    const { at } = first.get(lane)!;
    if (at !== null && (next === null || at < next)) next = at;
  }
  return next;
}

/** Ends the leases of a holder. */
export function releaseLeases(db: Database, holder: string, now: number): void {
  query<unknown, [number, string]>(
    db,
    `UPDATE deliveries SET due_at = min(due_at, ?1), holder = NULL WHERE status = ${QUEUED} AND holder = ?2`,
  ).run(now, holder);
}

/** Cancels at most `limit` queued deliveries whose target is disabled or deleted. Returns whether any may be left. */
export function cancelTargetless(db: Database, removeAt: number, limit: number): boolean {
  let left = limit;
  for (const lane of lanes(db)) {
    if (lane === "") continue;
    const isEnabled = query<unknown, [string]>(db, "SELECT 1 FROM targets WHERE id = ?1 AND enabled = 1").get(
      lane,
    );
    if (isEnabled !== null) continue;
    left -= query<unknown, [number, string, number, string]>(
      db,
      `UPDATE deliveries
       SET status = ${STATUSES.indexOf("cancelled")}, due_at = ?1, holder = NULL, code = NULL, error = ?4
       WHERE id IN (SELECT id FROM deliveries WHERE status = ${QUEUED} AND ${LANE} = ?2 LIMIT ?3)`,
    ).run(removeAt, lane, left, WITHOUT_TARGET).changes;
    if (left <= 0) return true;
  }
  return false;
}

/** Records an alert about a target, unless an earlier one has not expired. Returns whether it did. */
export function claimAlert(db: Database, target: string, now: number, until: number): boolean {
  return (
    query<unknown, [string, number, number]>(
      db,
      `INSERT INTO alerts (target, expires_at) VALUES (?1, ?2)
       ON CONFLICT (target) DO UPDATE SET expires_at = ?2 WHERE expires_at <= ?3`,
    ).run(target, until, now).changes > 0
  );
}

type ContentRow = {
  slug: string;
  name: string;
  key: string;
  settings: string;
  data: string;
  created_at: number;
  state: number;
  spam: string | null;
  unread: number;
  meta: string | null;
  files: string;
};

export function deliveryContent(db: Database, submission: string): DeliveryContent | undefined {
  const row = query<ContentRow, { id: Buffer }>(
    db,
    `SELECT f.slug, f.name, f.key, f.settings, s.data, s.created_at, s.state, s.spam, s.unread, s.meta,
            ${FILES} AS files
     FROM forms f CROSS JOIN submissions s
     ON s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0`,
  ).get({ id: bytesOf(submission) });
  if (!row) return undefined;
  const { slug, name, key, settings, data, created_at, state, spam, unread, meta, files } = row;
  return {
    form: { ...DEFAULT_SETTINGS, ...JSON.parse(settings), slug, name, key },
    submission: {
      id: submission,
      data,
      createdAt: created_at,
      state: STATES[state]!,
      spam,
      read: unread === 0,
      meta,
      files: JSON.parse(files),
    },
    spamCount: runWork(db, countSubmissions(key, ["spam"])),
  };
}
