import { clock } from "../../../base/clock.ts";
import type { Page } from "../../../base/pages.ts";
import type { Proposal, ProposalQuery } from "../../../documents/changes/proposal.ts";
import type {
  ProjectTarget,
  ProposalChange,
  ProposalDelivery,
  ProposalEvent,
  SettledProposalDelivery,
} from "../../../documents/changes/proposal-change.ts";
import { pageCut, pageOf } from "../pages.ts";
import { projectRow } from "../rows.ts";
import {
  type Params,
  SKIP_LOCKED,
  type Work,
  all,
  fieldsOf,
  first,
  insert,
  only,
  run,
  setsOf,
} from "../work.ts";

type Row = Omit<Proposal, "operation" | "environments" | "differences" | "reviews" | "bypass"> & {
  operation: string;
  environments: string;
  differences: string;
  reviews: string;
  bypass: number;
};

const FIELDS = `status who type account via why summary operation environments differences version etag reviews bypass
  createdAt expiresAt appliedBy appliedAt`;

const SELECT = `
  SELECT c.id, p.slug AS project, ${fieldsOf("c", FIELDS)} FROM proposals c JOIN projects p ON p.id = c.project_id`;

type Change<K> = ProposalChange & { change: K };

export function* insertProposal({ project, proposal, events }: Change<"insertProposal">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  const { id, who, type, account, via, why, operation, bypass, createdAt } = proposal;
  const fixed = { id, projectId, who, type, account, via, why, createdAt, bypass: bypass ? 1 : 0 };
  yield* insert("proposals", { ...fixed, operation: JSON.stringify(operation), ...changing(proposal) });
  yield* insertEvents(projectId, proposal, events);
}

export function* updateProposal({ project, proposal, events }: Change<"updateProposal">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  const row = changing(proposal);
  yield* run(`UPDATE proposals SET ${setsOf(row)} WHERE id = $id`, { ...row, id: proposal.id });
  yield* insertEvents(projectId, proposal, events);
}

/** The fields of a proposal that change. */
function changing(proposal: Proposal): Params {
  const { status, summary, environments, differences, version, etag, reviews } = proposal;
  const { expiresAt, appliedBy, appliedAt } = proposal;
  return {
    status,
    summary,
    environments: JSON.stringify(environments),
    differences: JSON.stringify(differences),
    version,
    etag,
    reviews: JSON.stringify(reviews),
    expiresAt,
    appliedBy,
    appliedAt,
  };
}

/** Queues events for every webhook of the project. */
function* insertEvents(
  projectId: number,
  { createdAt, appliedAt }: Proposal,
  events: readonly ProposalEvent[],
): Work<void> {
  if (events.length === 0) return;
  const targets = yield* all<{ id: string }>(
    "SELECT id FROM project_targets WHERE project_id = $projectId ORDER BY created_at, id",
    { projectId },
  );
  const at = appliedAt ?? createdAt;
  const queued = { attempts: 0, dueAt: at, createdAt: at };
  for (const { id: targetId } of targets)
    for (const { body } of events)
      yield* insert("change_deliveries", { id: clock.uuid(), targetId, body, ...queued });
}

export function* insertProjectTarget({ project, target }: Change<"insertProjectTarget">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  const { id, url, secret, createdAt } = target;
  yield* insert("project_targets", { id, projectId, url, secret, createdAt });
}

export function* deleteProjectTarget({ id }: Change<"deleteProjectTarget">): Work<void> {
  yield* run("DELETE FROM project_targets WHERE id = $id", { id });
}

function* pageProposals(project: string, { statuses, limit, before }: ProposalQuery): Work<Page<Proposal>> {
  const { id: projectId } = yield* projectRow(project);
  const cursor = before === undefined ? "" : "AND (c.created_at, c.id) < ($createdAt, $id)";
  const sql = `${SELECT} WHERE c.project_id = $projectId AND c.status IN (SELECT value FROM json_each($statuses)) ${cursor}
    ORDER BY c.created_at DESC, c.id DESC LIMIT $limit`;
  const params = { projectId, statuses: JSON.stringify(statuses), limit: limit + 1, ...before };
  return yield* pageOf(all<Row>(sql, params, pageCut("operation", "differences")), limit, toProposal);
}

function* findProposal(project: string, id: string): Work<Proposal | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE c.id = $id AND p.slug = $project`, { id, project });
  return row && toProposal(row);
}

function* sumOpen(project: string, now: number, { id, who, type }: Pick<Proposal, "id" | "who" | "type">) {
  const { id: projectId } = yield* projectRow(project);
  const bytes = "octet_length(operation) + octet_length(differences)";
  const sql = `SELECT count(*) AS count, coalesce(sum(${bytes}), 0) AS bytes FROM proposals
    WHERE project_id = $projectId AND status = 'open' AND expires_at > $now AND id <> $id`;
  type Row = { count: number; bytes: number };
  const all = yield* only<Row>(sql, { projectId, now, id });
  const own = yield* only<Row>(`${sql} AND who = $who AND type = $type`, { projectId, now, id, who, type });
  return { all, own };
}

function* nextExpiry(): Work<number | null> {
  return (yield* only<{ at: number | null }>(
    "SELECT min(expires_at) AS at FROM proposals WHERE status = 'open'",
  )).at;
}

function* findExpired(now: number): Work<Proposal | undefined> {
  const sql = `${SELECT} WHERE c.status = 'open' AND c.expires_at <= $now ORDER BY c.expires_at LIMIT 1`;
  const row = yield* first<Row>(sql, { now });
  return row && toProposal(row);
}

function* listProjectTargets(project: string): Work<ProjectTarget[]> {
  const { id: projectId } = yield* projectRow(project);
  const rows = yield* all<Omit<ProjectTarget, "project">>(
    `SELECT ${fieldsOf("t", "id url secret createdAt")} FROM project_targets t
     WHERE t.project_id = $projectId ORDER BY t.created_at, t.id`,
    { projectId },
  );
  return rows.map(({ createdAt, ...row }) => ({ ...row, project, createdAt }));
}

function* nextDelivery(): Work<number | null> {
  return (yield* only<{ at: number | null }>(
    "SELECT min(due_at) AS at FROM change_deliveries WHERE ended_at IS NULL",
  )).at;
}

/** Leases events that are due: see the port. */
function* claimDeliveries(now: number, leaseUntil: number, limit: number): Work<ProposalDelivery[]> {
  return yield* all<ProposalDelivery>(
    `UPDATE change_deliveries SET due_at = $leaseUntil, attempts = attempts + 1
     WHERE id IN (SELECT id FROM change_deliveries WHERE ended_at IS NULL AND due_at <= $now
                  ORDER BY due_at LIMIT $limit ${SKIP_LOCKED})
     RETURNING id, body, attempts, (SELECT t.url FROM project_targets t WHERE t.id = target_id) AS url,
       (SELECT t.secret FROM project_targets t WHERE t.id = target_id) AS secret`,
    { now, leaseUntil, limit },
  );
}

function* settleDelivery({ id, dueAt, endedAt, error }: SettledProposalDelivery): Work<void> {
  yield* run(
    "UPDATE change_deliveries SET due_at = $dueAt, ended_at = $endedAt, error = $error WHERE id = $id",
    {
      id,
      dueAt,
      endedAt,
      error,
    },
  );
}

function* clearDeliveries(before: number): Work<void> {
  yield* run("DELETE FROM change_deliveries WHERE ended_at < $before", { before });
}

function toProposal(row: Row): Proposal {
  return {
    ...row,
    operation: JSON.parse(row.operation),
    environments: JSON.parse(row.environments),
    differences: JSON.parse(row.differences),
    reviews: JSON.parse(row.reviews),
    bypass: row.bypass === 1,
  };
}

export const proposals = {
  reads: {
    page: pageProposals,
    find: findProposal,
    sumOpen,
    nextExpiry,
    findExpired,
    targets: listProjectTargets,
    nextDelivery,
  },
  writes: { claimDeliveries, settleDelivery, clearDeliveries },
};
