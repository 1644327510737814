import { type DeliveryKind, type Lane, MAIL_LANE } from "../../delivery/delivery.ts";
import {
  DELIVERY_STATUSES as STATUSES,
  WITHOUT_MAIL,
  WITHOUT_TARGET,
} from "../../delivery/delivery-status.ts";
import type { ClaimedDelivery, DeliveryContent, OutboxTurn, SettledDelivery } from "../../delivery/store.ts";
import { DEFAULT_SETTINGS } from "../../forms/settings/settings.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { recordAttempt } from "./attempts.ts";
import { LANE, QUEUED } from "./deliveries.ts";
import { countSubmissions } from "./submission-counts.ts";
import { bytesOf, textOf } from "./submission-ids.ts";
import { type Params, SKIP_LOCKED, type Work, all, first, only, run } from "./work.ts";

/**
 * Records results, renews leases and claims due deliveries. Ids of others' leases are ignored. Of servers that do so at the
 * same time, each claims what no other does.
 */
export function* takeTurn(turn: OutboxTurn): Work<ClaimedDelivery[]> {
  const { holder, leaseUntil, settled, renewed } = turn;
  for (const each of settled) yield* settle(holder, each);
  yield* changeEach(
    renewed.map(bytesOf),
    `UPDATE deliveries SET due_at = $leaseUntil WHERE holder = $holder AND status = ${QUEUED}`,
    { holder, leaseUntil },
  );
  return yield* claim(turn);
}

function* settle(
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

/** Ids that one statement lists. */
const LISTED = 20;

/** Runs an `UPDATE`, which ends with a condition, on the deliveries of these ids. */
function* changeEach(ids: readonly Uint8Array[], update: string, params: Params): Work<void> {
  for (let from = 0; from < ids.length; from += LISTED) {
    const some = ids.slice(from, from + LISTED);
    // There are two texts of the statement: a shorter list repeats its last id.
    const names = Array.from({ length: some.length === 1 ? 1 : LISTED }, (_, index) => `id${index}`);
    const list = names.map((name, index) => [name, some[index] ?? some.at(-1)!]);
    const sql = `${update} AND id IN (${names.map((name) => `$${name}`).join()})`;
    yield* run(sql, { ...params, ...Object.fromEntries(list) });
  }
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

function* claim({
  holder,
  now,
  databaseNow,
  leaseUntil,
  blocked,
  after,
  perLane,
  limit,
}: OutboxTurn): Work<ClaimedDelivery[]> {
  const rows: Row[] = [];
  const latest = Math.max(now, databaseNow);
  const lanes = yield* all<LaneRow>(
    `${LANES} SELECT lane FROM lanes WHERE ${NEXT} <= $latest ORDER BY lane`,
    { latest },
  );
  for (const lane of rotated(lanes, after)) {
    if (blocked.includes(lane)) continue;
    const some = yield* all<Row>(
      `SELECT d.id, (SELECT s.id FROM submissions s WHERE s.seq = d.submission_seq) AS submission, d.kind, d.target,
              d.attempts, d.code, d.error
       FROM deliveries d
       WHERE d.status = ${QUEUED} AND ${LANE} = $lane AND d.due_at <= $latest
         AND d.due_at <= CASE WHEN d.holder IS NULL THEN CAST($now AS BIGINT) ELSE CAST($databaseNow AS BIGINT) END
       ORDER BY d.due_at LIMIT $most ${SKIP_LOCKED}`,
      { lane, latest, now, databaseNow, most: Math.min(perLane, limit - rows.length) },
    );
    rows.push(...some);
    if (rows.length >= limit) break;
  }
  yield* changeEach(
    rows.map(({ id }) => id),
    `UPDATE deliveries SET holder = $holder, due_at = $leaseUntil WHERE status = ${QUEUED}`,
    { holder, leaseUntil },
  );
  return rows.map((row) => ({ ...row, id: textOf(row.id), submission: textOf(row.submission) }));
}

/** The lanes behind `after`, then those up to it. */
function rotated(rows: LaneRow[], after: Lane | null): Lane[] {
  const lanes = rows.map(({ lane }) => lane);
  if (after === null) return lanes;
  const isBehind = (lane: Lane) => lane > after;
  return [...lanes.filter(isBehind), ...lanes.filter((lane) => !isBehind(lane))];
}

type LaneRow = { lane: Lane };

/** The table `lanes`, of those with queued deliveries: one look-up in the index for each. The last row has null. */
const LANES = `WITH RECURSIVE lanes (lane) AS (
  SELECT min(${LANE}) FROM deliveries WHERE status = ${QUEUED}
  UNION ALL
  SELECT (SELECT min(${LANE}) FROM deliveries WHERE status = ${QUEUED} AND ${LANE} > lanes.lane)
  FROM lanes WHERE lanes.lane IS NOT NULL)`;

/** When the next delivery of a lane of `lanes` is due. */
const NEXT = `(SELECT min(due_at) FROM deliveries WHERE status = ${QUEUED} AND ${LANE} = lanes.lane)`;

export function* readClock(): Work<number> {
  return (yield* only<{ now: number }>("SELECT CAST(unixepoch('subsec') * 1000 AS BIGINT) AS now")).now;
}

export function* nextDelivery(blocked: readonly Lane[]): Work<number | null> {
  const lanes = yield* all<LaneRow & { at: number }>(
    `${LANES} SELECT lane, ${NEXT} AS at FROM lanes WHERE lane IS NOT NULL`,
  );
  const times = lanes.filter(({ lane }) => !blocked.includes(lane)).map(({ at }) => at);
  return times.length === 0 ? null : Math.min(...times);
}

/** Ends the leases of a holder. */
export function* releaseLeases(holder: string, now: number): Work<void> {
  yield* run(
    `UPDATE deliveries SET due_at = CASE WHEN due_at < $now THEN due_at ELSE $now END, holder = NULL
     WHERE status = ${QUEUED} AND holder = $holder`,
    { holder, now },
  );
}

/** Records of at most `limit` due deliveries by mail that they wait for a mail server. Returns whether any may be left. */
export function* explainMail(after: number, now: number, limit: number): Work<boolean> {
  const changes = yield* run(
    `UPDATE deliveries SET code = NULL, error = $error WHERE id IN (
       SELECT id FROM deliveries
       WHERE status = ${QUEUED} AND ${LANE} = $lane AND due_at > $after AND due_at <= $now
         AND (error IS NULL OR error <> $error)
       LIMIT $limit ${SKIP_LOCKED})`,
    { error: WITHOUT_MAIL, lane: MAIL_LANE, after, now, limit },
  );
  return changes >= limit;
}

/** Cancels at most `limit` queued deliveries whose target is disabled or deleted. Returns whether any may be left. */
export function* cancelTargetless(removeAt: number, limit: number): Work<boolean> {
  const lanes = yield* all<LaneRow>(
    `${LANES} SELECT lane FROM lanes
     WHERE lane <> '' AND NOT EXISTS (SELECT 1 FROM targets t WHERE t.id = lanes.lane AND t.enabled = 1)
     ORDER BY lane`,
  );
  let left = limit;
  for (const { lane } of lanes) {
    left -= yield* run(
      `UPDATE deliveries
       SET status = ${STATUSES.indexOf("cancelled")}, due_at = $removeAt, holder = NULL, code = NULL, error = $error
       WHERE id IN (SELECT id FROM deliveries WHERE status = ${QUEUED} AND ${LANE} = $lane
                    LIMIT $left ${SKIP_LOCKED})`,
      { removeAt, lane, left, error: WITHOUT_TARGET },
    );
    if (left <= 0) return true;
  }
  return false;
}

/** Records an alert about a target, unless an earlier one has not expired. Returns whether it did. */
export function* claimAlert(target: string, now: number, until: number): Work<boolean> {
  const changes = yield* run(
    `INSERT INTO alerts (target, expires_at) VALUES ($target, $until)
     ON CONFLICT (target) DO UPDATE SET expires_at = excluded.expires_at WHERE alerts.expires_at <= $now`,
    { target, now, until },
  );
  return changes > 0;
}

type ContentRow = {
  seq: number;
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
};

type FileRow = DeliveryContent["submission"]["files"][number];

export function* deliveryContent(submission: string): Work<DeliveryContent | undefined> {
  const row = yield* first<ContentRow>(
    `SELECT s.seq, f.slug, f.name, f.key, f.settings, s.data, s.created_at, s.state, s.spam, s.unread, s.meta
     FROM forms f CROSS JOIN submissions s
     WHERE s.form_id = f.id AND s.state IN (0, 1, 2) AND s.id = $id AND f.deleted = 0`,
    { id: bytesOf(submission) },
  );
  if (!row) return undefined;
  const { seq, slug, name, key, settings, data, created_at, state, spam, unread, meta } = row;
  const files = yield* all<FileRow>(
    "SELECT field, name, type, size, sha256 FROM files WHERE submission_seq = $seq ORDER BY position",
    { seq },
  );
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
      files,
    },
    spamCount: yield* countSubmissions(key, ["spam"]),
  };
}
