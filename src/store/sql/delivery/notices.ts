import type { Author } from "../../../access/caller.ts";
import { clock, isoTime } from "../../../base/clock.ts";
import { timedId } from "../../../base/ids.ts";
import { type Noticed, noticeText } from "../../../delivery/notices/change-notice.ts";
import {
  type Bundle,
  type NoticeTarget,
  type StoredNotice,
  bundlesOf,
  mailbox,
} from "../../../delivery/notices/fan-out.ts";
import { MAX_IN_DIGEST } from "../../../delivery/limits.ts";
import { DIGEST } from "../../../delivery/notices/notice-types.ts";
import type { NoticeContent, WaitingDigest } from "../../../delivery/store.ts";
import { bytesOf } from "../ids.ts";
import { amongProjects, insertRows } from "../lists.ts";
import { findProjectRow } from "../rows.ts";
import { type Work, all, first, insert, run } from "../work.ts";
import { QUEUED } from "./deliveries.ts";

/** A change that targets may hear of, with its place in the history. */
export type NoticedAt = Noticed & { revision: number };

/** Queues the notices of a transaction for the targets of their projects. */
export function* insertNotices(noticed: readonly NoticedAt[], by: Author): Work<void> {
  const { at, who, why = null } = by;
  for (const [slug, some] of Map.groupBy(noticed, ({ project }) => project)) {
    // It may have been deleted in the same transaction.
    const project = yield* findProjectRow(slug);
    const targets = project ? yield* listeningTargets(project.id) : [];
    if (!project || (targets.length === 0 && some.every(({ mail = [] }) => mail.length === 0))) continue;
    const notices = some.map((each): StoredNotice => {
      const body = noticeText(each, { revision: each.revision, at: isoTime(at), who, why });
      return { type: each.type, environment: each.environment, at, revision: each.revision, body };
    });
    yield* queueNotices(project.id, targets, notices);
    for (const [index, { mail = [] }] of some.entries())
      for (const address of mail)
        yield* insertBundle(project.id, {
          target: mailbox(address),
          notices: [notices[index]!],
          window: null,
        });
  }
}

type Row = Omit<NoticeTarget, "events"> & { events: string | null };

/** The enabled targets of a project, oldest first. */
export function* listeningTargets(projectId: number): Work<NoticeTarget[]> {
  const rows = yield* all<Row>(
    `SELECT t.id, t.kind, t.events, t.digest, t.created_at AS "createdAt", (SELECT e.slug FROM environments e WHERE e.id = t.environment_id) AS environment
     FROM targets t WHERE t.project_id = $projectId AND t.enabled = 1 ORDER BY t.created_at, t.id`,
    { projectId },
  );
  return rows.map((row) => ({ ...row, events: row.events === null ? null : JSON.parse(row.events) }));
}

/** Queues the notices of one transaction for the targets of a project that select them. */
export function* queueNotices(
  projectId: number,
  targets: readonly NoticeTarget[],
  notices: readonly StoredNotice[],
): Work<void> {
  for (const bundle of bundlesOf(targets, notices)) {
    if (bundle.window !== null && (yield* appendTo(bundle))) continue;
    yield* insertBundle(projectId, bundle);
  }
}

/** Adds notices to the digest that waits for the target. Returns whether there is one. */
function* appendTo({ target, notices }: Bundle): Work<boolean> {
  const params = { target: target.id, count: notices.length };
  const grown = yield* first<{ delivery: Uint8Array; count: number }>(
    `UPDATE notices SET count = count + $count WHERE open_for = $target
       AND EXISTS (SELECT 1 FROM deliveries d WHERE d.id = notices.delivery AND d.status = ${QUEUED})
     RETURNING delivery, count`,
    params,
  );
  if (grown) yield* insertBodies(grown.delivery, grown.count - notices.length, notices);
  // The delivery may have been cancelled while the target was disabled.
  else yield* run("UPDATE notices SET open_for = NULL WHERE open_for = $target", { target: target.id });
  return grown !== undefined;
}

function* insertBundle(projectId: number, { target, notices, window }: Bundle): Work<void> {
  const [{ at, revision, type, environment }] = notices as [StoredNotice, ...StoredNotice[]];
  const id = bytesOf(timedId(at, revision & 0xfff, clock.random(8)));
  const isDigest = window !== null;
  const isOpen = isDigest && window > 0;
  const dueAt = at + (window ?? 0) * 1000;
  yield* insert("deliveries", { id, submissionSeq: null, kind: target.kind, target: target.id, dueAt });
  yield* insert("notices", {
    delivery: id,
    projectId,
    environment: isDigest ? target.environment : environment,
    event: isDigest ? DIGEST : type,
    since: at,
    until: isOpen ? null : at,
    count: notices.length,
    openFor: isOpen ? target.id : null,
  });
  yield* insertBodies(id, 0, notices);
}

/** Inserts the notices behind `before` others, as many as a digest has. */
function* insertBodies(delivery: Uint8Array, before: number, notices: readonly StoredNotice[]): Work<void> {
  const room = notices.slice(0, Math.max(MAX_IN_DIGEST - before, 0));
  const rows = room.map(({ body }, index) => [delivery, before + index + 1, body]);
  yield* insertRows("INSERT INTO notice_bodies (delivery, number, body)", rows, "");
}

/** Ends the digests among some deliveries, which take no more notices from then on. */
export function* closeDigests(ids: readonly Uint8Array[], now: number): Work<void> {
  for (const id of ids)
    yield* run("UPDATE notices SET until = $now, open_for = NULL WHERE delivery = $id AND until IS NULL", {
      id,
      now,
    });
}

/** The notices of a delivery; undefined for a delivery of none, and once its project was deleted. */
export function* noticeContent(delivery: string): Work<NoticeContent | undefined> {
  const id = bytesOf(delivery);
  type Found = Omit<NoticeContent, "notices" | "until"> & { until: number | null };
  const row = yield* first<Found>(
    `SELECT p.slug AS project, n.environment, n.event, n.since, n.until, n.count
     FROM notices n JOIN projects p ON p.id = n.project_id WHERE n.delivery = $id`,
    { id },
  );
  if (!row) return undefined;
  const bodies = yield* all<{ body: string }>(
    "SELECT body FROM notice_bodies WHERE delivery = $id ORDER BY number",
    { id },
  );
  return { ...row, until: row.until ?? row.since, notices: bodies.map(({ body }) => body) };
}

export function waitingDigests(projects: readonly string[] | null, limit: number): Work<WaitingDigest[]> {
  const among = amongProjects("p.slug", projects);
  return all(
    `SELECT p.slug AS project, d.target, d.due_at AS at, n.count
     FROM notices n JOIN deliveries d ON d.id = n.delivery JOIN projects p ON p.id = n.project_id
     WHERE n.open_for IS NOT NULL AND d.status = ${QUEUED} ${among.sql} ORDER BY d.due_at, d.id LIMIT $limit`,
    { limit, ...among.params },
  );
}
