import { isoTime } from "../../../base/clock.ts";
import {
  type Delivery,
  type DeliveryKind,
  noSuchDelivery,
  shownTarget,
  type NewDelivery,
} from "../../../delivery/delivery.ts";
import {
  DELIVERY_STATUSES as STATUSES,
  type DeliveryStatus,
  WITHOUT_MAIL,
} from "../../../delivery/delivery-status.ts";
import type { DeliveryQuery } from "../../../delivery/store.ts";
import { bytesOf, bytesOfHash, textOf } from "../ids.ts";
import { amongProjects } from "../lists.ts";
import type * as Paces from "./paces.ts";
import { OF_FORM, PROJECT_OF_FORM } from "../rows.ts";
import { SKIP_LOCKED, type Work, all, first, only, run } from "../work.ts";

/** Deliveries that one page looks at. */
const MAX_SCANNED = 1000;

/** The lane of a delivery, as the index of queued deliveries has it. */
export const LANE =
  "CASE WHEN kind = 'welcome' THEN 'bulk' WHEN kind IN ('mail', 'notification', 'autoreply', 'reply', 'confirmation') THEN '' ELSE target END";

export const QUEUED = STATUSES.indexOf("queued");
const FAILED = STATUSES.indexOf("failed");
export const CANCELLED = STATUSES.indexOf("cancelled");

type Row = Omit<Delivery, "id" | "submission" | "kind" | "status" | "nextAt"> & {
  kind: DeliveryKind;
  id: Uint8Array;
  submission: Uint8Array | null;
  form_key: string | null;
  status: number;
  due_at: number;
};

/** The slug of the project of a delivery of notices, or of the form. */
const PROJECT = `coalesce(p.slug, ${PROJECT_OF_FORM})`;

const COLUMNS = `
  d.id, s.id AS submission, ${PROJECT} AS project, f.slug AS form, f.key AS form_key, n.environment, n.event, d.kind, d.target,
  d.status, d.attempts, d.due_at, d.code, d.error`;

/**
 * Deliveries with what they are of. Left joins keep their order, so that those of a page are read in the order of their
 * ids, and no more than are looked at.
 */
const PLACED = `deliveries d LEFT JOIN submissions s ON s.seq = d.submission_seq
  LEFT JOIN forms f ON f.id = s.form_id AND f.deleted = 0
  LEFT JOIN notices n ON n.delivery = d.id LEFT JOIN projects p ON p.id = n.project_id
  WHERE (f.id IS NOT NULL OR p.id IS NOT NULL)`;

/** Inserts the deliveries of a submission that had none before. */
export function* insertDeliveries(seq: number, deliveries: readonly NewDelivery[], now: number): Work<void> {
  for (const { id, kind, target, limit, paces, trace = null } of deliveries) {
    if (limit && !(yield* takeAutoreply(seq, limit, now))) continue;
    const dueAt =
      paces === undefined ? now : yield* (require("./paces.ts") as typeof Paces).takePlaces(paces, now);
    if (dueAt === null) continue;
    yield* run(
      `INSERT INTO deliveries (id, submission_seq, kind, target, due_at, trace) VALUES ($id, $seq, $kind, $target, $dueAt, $trace)
       ON CONFLICT (submission_seq, kind, target) DO NOTHING`,
      { id: bytesOf(id), seq, kind, target, dueAt, trace },
    );
  }
}

/** Queues those of some deliveries of a submission that were cancelled. */
export function* resumeDeliveries(seq: number, deliveries: readonly NewDelivery[], now: number): Work<void> {
  for (const { kind, target } of deliveries) {
    yield* run(
      `${RETRY} WHERE submission_seq = $seq AND kind = $kind AND target = $target AND status = ${CANCELLED}`,
      { seq, kind, target, now },
    );
  }
}

/** Records an automatic reply, unless the address got one lately or the form has sent too many. Returns whether it did. */
function* takeAutoreply(
  seq: number,
  { hash, expiresAt, since, most }: NonNullable<NewDelivery["limit"]>,
  now: number,
): Work<boolean> {
  // Every reply of a form expires after the same time.
  const lately = yield* only<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM autoreplies
       WHERE form_id = (SELECT form_id FROM submissions WHERE seq = $seq) AND expires_at > $after
         AND delivery IS NULL
       LIMIT $most) AS found`,
    { seq, after: expiresAt - (now - since), most },
  );
  if (lately.count >= most) return false;
  const changes = yield* run(
    `INSERT INTO autoreplies (hash, form_id, expires_at)
     VALUES ($hash, (SELECT form_id FROM submissions WHERE seq = $seq), $expiresAt)
     ON CONFLICT (hash) DO UPDATE SET form_id = excluded.form_id, expires_at = excluded.expires_at
     WHERE autoreplies.expires_at <= $now`,
    { hash: bytesOfHash(hash), seq, expiresAt, now },
  );
  return changes > 0;
}

export function* pageDeliveries({
  limit,
  before,
  formKeys,
  projects,
  submission,
  status,
}: DeliveryQuery): Work<{ items: Delivery[]; next: string | null }> {
  const sql = `SELECT ${COLUMNS} FROM ${submission === null ? yield* sourceOf(status) : BY_SUBMISSION}
               AND d.id < $last ORDER BY d.id DESC LIMIT $most`;
  const ofSubmission = submission !== null && { submission: bytesOf(submission) };
  const [forms, places] = [formKeys && new Set(formKeys), projects && new Set(projects)];
  const isAmong = ({ form_key: key, project }: Row) =>
    key === null ? (places?.has(project) ?? true) : (forms?.has(key) ?? true);
  const items: Delivery[] = [];
  let last: Uint8Array = before === null ? AFTER_EVERY_ID : bytesOf(before);
  let scanned = 0;
  // Only if a page leaves out some of what it looks at, one statement does not fill it.
  for (let size = limit + 1; scanned < MAX_SCANNED; size *= 2) {
    const most = Math.min(size, MAX_SCANNED - scanned);
    const rows = yield* all<Row>(sql, { ...ofSubmission, last, most });
    for (const row of rows) {
      const isChosen = isAmong(row) && (status === null || STATUSES[row.status] === status);
      if (isChosen && items.length === limit) return { items, next: items.at(-1)!.id };
      if (isChosen) items.push(view(row));
    }
    if (rows.length < most) return { items, next: null };
    scanned += most;
    last = rows.at(-1)!.id;
  }
  return { items, next: textOf(last) };
}

/** Sorts after every id, which has 16 bytes. */
const AFTER_EVERY_ID = Buffer.alloc(17, 0xff);

/** The deliveries of one submission: the index of submissions begins with form and state. */
const BY_SUBMISSION = `forms f CROSS JOIN submissions s CROSS JOIN deliveries d LEFT JOIN notices n ON n.delivery = d.id
  LEFT JOIN projects p ON p.id = n.project_id
  WHERE ${OF_FORM} AND s.id = $submission AND f.deleted = 0
    AND d.submission_seq = s.seq`;

/** Source of a page: failed deliveries, and few queued ones, by their indexes, the others in order of their ids. */
function* sourceOf(status: DeliveryStatus | null): Work<string> {
  if (status === "failed") return `${PLACED} AND d.status = ${FAILED}`;
  const isFew = status === "queued" && (yield* countDeliveries("queued", MAX_SCANNED)) < MAX_SCANNED;
  // The order of the index makes SQLite use it.
  return isFew
    ? `${PLACED} AND d.id IN (SELECT id FROM deliveries WHERE status = ${QUEUED}
                             ORDER BY ${LANE}, due_at LIMIT ${MAX_SCANNED})`
    : PLACED;
}

export function* findDelivery(id: string): Work<Delivery | undefined> {
  const sql = `SELECT ${COLUMNS} FROM ${PLACED} AND d.id = $id`;
  const row = yield* first<Row>(sql, { id: bytesOf(id) });
  return row && view(row);
}

/** Queues deliveries at `now`, unless they are being sent. Throws `not_found` for an unknown id. */
export function* retryDeliveries(ids: readonly string[], now: number): Work<void> {
  for (const id of ids.toSorted()) {
    if ((yield* findDelivery(id)) === undefined) throw noSuchDelivery(id);
    yield* run(`${RETRY} WHERE id = $id AND holder IS NULL`, { id: bytesOf(id), now });
  }
}

/** Queues at most `limit` failed deliveries again, of some forms and projects. Returns how many. */
export function retryFailed(
  { formKeys, projects }: Pick<DeliveryQuery, "formKeys" | "projects">,
  now: number,
  limit: number,
): Work<number> {
  const forms = formKeys === null ? "" : "AND f.key IN (SELECT value FROM json_each($formKeys))";
  const places = projects === null ? "" : "AND p.slug IN (SELECT value FROM json_each($projects))";
  return run(
    `${RETRY} WHERE id IN (
       SELECT d.id FROM deliveries d
       WHERE d.status = ${FAILED} AND (EXISTS (
         SELECT 1 FROM submissions s JOIN forms f ON f.id = s.form_id AND f.deleted = 0
         WHERE s.seq = d.submission_seq ${forms})
       OR EXISTS (
         SELECT 1 FROM notices n JOIN projects p ON p.id = n.project_id WHERE n.delivery = d.id ${places}))
       LIMIT $limit ${SKIP_LOCKED})`,
    {
      ...(formKeys !== null && { formKeys: JSON.stringify(formKeys) }),
      ...(projects !== null && { projects: JSON.stringify(projects) }),
      now,
      limit,
    },
  );
}

const RETRY = `UPDATE deliveries SET status = ${QUEUED}, attempts = 0, due_at = $now, holder = NULL`;

/** Counts the deliveries of some projects, or with null of all. */
export function* countDeliveries(
  status: DeliveryStatus,
  atMost: number,
  projects: readonly string[] | null = null,
): Work<number> {
  const { sql: among, params } = amongProjects(PROJECT, projects);
  // The indexes hold either status as a constant.
  const source = projects === null ? "deliveries d WHERE" : `${PLACED} ${among} AND`;
  const sql = `SELECT count(*) AS count FROM
    (SELECT 1 FROM ${source} d.status = ${STATUSES.indexOf(status)} LIMIT $atMost) AS found`;
  return (yield* only<{ count: number }>(sql, { ...params, atMost })).count;
}

function view({ id, submission, form_key: _key, due_at, status, ...row }: Row): Delivery {
  return {
    id: textOf(id),
    submission: submission && textOf(submission),
    project: row.project,
    form: row.form,
    environment: row.environment,
    event: row.event,
    kind: row.kind,
    target: shownTarget(row.kind, row.target),
    status: STATUSES[status]!,
    attempts: row.attempts,
    nextAt: status === QUEUED && row.error !== WITHOUT_MAIL ? isoTime(due_at) : null,
    code: row.code,
    error: row.error,
  };
}
