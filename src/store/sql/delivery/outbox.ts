import { type Lane, MAIL_LANES, type Pace, shownTarget } from "../../../delivery/delivery.ts";
import {
  DELIVERY_STATUSES as STATUSES,
  WITHOUT_MAIL,
  WITHOUT_TARGET,
} from "../../../delivery/delivery-status.ts";
import type { ClaimedDelivery, OutboxTurn } from "../../../delivery/store.ts";
import { answerContent, deliveryContent, listAttempts, settleDelivery } from "./attempts.ts";
import {
  CANCELLED,
  LANE,
  QUEUED,
  countDeliveries,
  findDelivery,
  pageDeliveries,
  retryDeliveries,
  retryFailed,
} from "./deliveries.ts";
import type * as Welcomes from "../memberships/welcomes.ts";
import type * as Replies from "./held-replies.ts";
import type * as Paces from "./paces.ts";
import { closeDigests, noticeContent, waitingDigests } from "./notices.ts";
import { bytesOf, textOf } from "../ids.ts";
import { type Params, SKIP_LOCKED, type Work, all, only, run } from "../work.ts";
import { SUBMISSION_STATES as STATES } from "../../../forms/submission-state.ts";

const SPAM = STATES.indexOf("spam");

/** The lanes of mail as SQL. */
const OF_MAIL = MAIL_LANES.map((lane) => `'${lane}'`).join();

/**
 * Removes at most `limit` ended deliveries that are due. Returns whether more may be left. A cancelled delivery of a
 * spam submission is kept until `later`, because it is queued again when the submission leaves the spam folder.
 */
function* clearEnded(now: number, later: number, limit: number): Work<boolean> {
  const kept = yield* run(
    `UPDATE deliveries SET due_at = $later WHERE id IN (
       SELECT d.id FROM deliveries d WHERE d.status = ${CANCELLED} AND d.due_at <= $now AND EXISTS (
         SELECT 1 FROM submissions s WHERE s.seq = d.submission_seq AND s.state = ${SPAM})
       LIMIT $limit ${SKIP_LOCKED})`,
    { now, later, limit },
  );
  if (kept >= limit) return true;
  let isLeft = false;
  for (const status of STATUSES.keys()) {
    if (status === QUEUED) continue;
    const removed = yield* run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT id FROM deliveries WHERE status = ${status} AND status <> 0 AND due_at <= $now
         LIMIT $limit ${SKIP_LOCKED})`,
      { now, limit },
    );
    if (removed >= limit) isLeft = true;
  }
  return isLeft;
}

/**
 * Records results, renews leases and claims due deliveries. Ids of others' leases are ignored. Of servers that do so at the
 * same time, each claims what no other does.
 */
function* takeTurn(turn: OutboxTurn): Work<ClaimedDelivery[]> {
  const { holder, leaseUntil, settled, renewed } = turn;
  for (const each of settled) yield* settleDelivery(holder, each);
  yield* changeEach(
    renewed.map(bytesOf),
    `UPDATE deliveries SET due_at = $leaseUntil WHERE holder = $holder AND status = ${QUEUED}`,
    { holder, leaseUntil },
  );
  return yield* claim(turn);
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

type Row = Omit<ClaimedDelivery, "id" | "submission"> & { id: Uint8Array; submission: Uint8Array | null };

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
              d.attempts, d.code, d.error, d.trace
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
  const ofNotices = rows.filter(({ submission }) => submission === null);
  yield* closeDigests(
    ofNotices.map(({ id }) => id),
    now,
  );
  return rows.map((row) => ({
    ...row,
    id: textOf(row.id),
    target: shownTarget(row.kind, row.target),
    submission: row.submission && textOf(row.submission),
  }));
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

function* readClock(): Work<number> {
  return (yield* only<{ now: number }>("SELECT CAST(unixepoch('subsec') * 1000 AS BIGINT) AS now")).now;
}

function* nextDelivery(blocked: readonly Lane[]): Work<number | null> {
  const lanes = yield* all<LaneRow & { at: number }>(
    `${LANES} SELECT lane, ${NEXT} AS at FROM lanes WHERE lane IS NOT NULL`,
  );
  const times = lanes.filter(({ lane }) => !blocked.includes(lane)).map(({ at }) => at);
  return times.length === 0 ? null : Math.min(...times);
}

/** Ends the leases of a holder. */
function* releaseLeases(holder: string, now: number): Work<void> {
  yield* run(
    `UPDATE deliveries SET due_at = CASE WHEN due_at < $now THEN due_at ELSE $now END, holder = NULL
     WHERE status = ${QUEUED} AND holder = $holder`,
    { holder, now },
  );
}

/** Records of at most `limit` due deliveries by mail that they wait for a mail server. Returns whether any may be left. */
function* explainMail(after: number, now: number, limit: number): Work<boolean> {
  const changes = yield* run(
    `UPDATE deliveries SET code = NULL, error = $error WHERE id IN (
       SELECT id FROM deliveries
       WHERE status = ${QUEUED} AND ${LANE} IN (${OF_MAIL}) AND due_at > $after AND due_at <= $now
         AND (error IS NULL OR error <> $error)
       LIMIT $limit ${SKIP_LOCKED})`,
    { error: WITHOUT_MAIL, after, now, limit },
  );
  return changes >= limit;
}

/** Cancels at most `limit` queued deliveries whose target is disabled or deleted. Returns whether any may be left. */
function* cancelTargetless(removeAt: number, limit: number): Work<boolean> {
  const lanes = yield* all<LaneRow>(
    `${LANES} SELECT lane FROM lanes
     WHERE lane NOT IN (${OF_MAIL}) AND NOT EXISTS (SELECT 1 FROM targets t WHERE t.id = lanes.lane AND t.enabled = 1)
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
function* claimAlert(target: string, now: number, until: number): Work<boolean> {
  const changes = yield* run(
    `INSERT INTO alerts (target, expires_at) VALUES ($target, $until)
     ON CONFLICT (target) DO UPDATE SET expires_at = excluded.expires_at WHERE alerts.expires_at <= $now`,
    { target, now, until },
  );
  return changes > 0;
}

export const deliveries = {
  reads: {
    page: pageDeliveries,
    find: findDelivery,
    attempts: listAttempts,
    clock: readClock,
    nextAt: nextDelivery,
    content: deliveryContent,
    answer: answerContent,
    notices: noticeContent,
    welcome: (id: string) => (require("../memberships/welcomes.ts") as typeof Welcomes).welcomeContent(id),
    digests: waitingDigests,
    countQueued: (atMost: number, projects?: readonly string[] | null) =>
      countDeliveries("queued", atMost, projects),
    countFailed: (atMost: number, projects?: readonly string[] | null) =>
      countDeliveries("failed", atMost, projects),
  },
  writes: {
    turn: takeTurn,
    release: releaseLeases,
    explainMail,
    cancelTargetless,
    retry: retryDeliveries,
    retryFailed,
    clearEnded,
    claimAlert,
    admit: (pace: Pace, now: number) => (require("./paces.ts") as typeof Paces).admit(pace, now),
    holdReply: (...args: Parameters<(typeof Replies)["holdReply"]>) =>
      (require("./held-replies.ts") as typeof Replies).holdReply(...args),
    releaseReply: (...args: Parameters<(typeof Replies)["releaseReply"]>) =>
      (require("./held-replies.ts") as typeof Replies).releaseReply(...args),
    giveBack: (pace: Pace, at: number) => (require("./paces.ts") as typeof Paces).giveBack(pace, at),
  },
};
