import type { Caller } from "../../access/caller.ts";
import { hasScope, requireScopeWithin } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { createTurns } from "../../base/event-loop.ts";
import type { Page } from "../../base/pages.ts";
import type { ProposalStatus } from "../../projects/approval.ts";
import { getProject } from "../../projects/projects.ts";
import type { SetupChange } from "../setup.ts";
import type { ProposalsApp } from "../store.ts";
import { type ProposalPlace, type Rerun, findReadable, isReadable, reviewed } from "./found.ts";
import { type Impact, impactOf } from "./impact.ts";
import {
  type Proposal,
  type ProposalView,
  type StoredStatus,
  approvalsNeeded,
  factorNeeded,
  etagOf,
  statusOf,
  viewProposal,
} from "./proposal.ts";
import type { ProposalEvent } from "./proposal-change.ts";
import { approvedIn } from "./proposed-differences.ts";
import { mayApprove } from "./reviewers.ts";
import { type KnownRights, standing } from "./standing.ts";

type Filter = {
  status?: ProposalStatus | undefined;
  limit: number;
  before?: { createdAt: number; id: string } | undefined;
};

/** Proposals that the caller may read, newest first. Throws `not_found`, `forbidden`. */
export async function listProposals(
  app: ProposalsApp,
  caller: Caller,
  project: string,
  { status, limit, before }: Filter,
  rerun: Rerun,
): Promise<Page<ProposalView>> {
  requireScopeWithin(caller, "flags:read", project);
  const { environments } = await getProject(app, project);
  const statuses = status === undefined ? ALL : storedAs(status);
  const rights: KnownRights = new Map();
  const takeTurns = createTurns();
  for (let cursor = before; ;) {
    const page = await app.store.proposals.page(project, { statuses, limit, before: cursor });
    const selected: Proposal[] = [];
    await takeTurns();
    for (const each of page.items.filter((proposal) => isReadable(caller, proposal))) {
      const proposal = await standing(app, each, rights);
      const found = statusOf(proposal, approvalsNeeded(proposal, { environments }), app.now());
      if (status === undefined || found === status) selected.push(proposal);
    }
    const last = page.items.at(-1);
    // A page holds a few megabytes at most, so it is not filled up from the next ones.
    if (selected.length > 0 || !page.more || !last) {
      const views: ProposalView[] = [];
      for (const proposal of selected) {
        views.push(await view(app, caller, proposal, rerun, rights));
        await takeTurns();
      }
      return { items: views, more: page.more };
    }
    cursor = { createdAt: last.createdAt, id: last.id };
  }
}

const ALL: readonly StoredStatus[] = ["open", "applied", "rejected", "withdrawn", "expired"];

/** The stored statuses of proposals that may have a status: an open one is approved or expired by what else is stored. */
function storedAs(status: ProposalStatus): StoredStatus[] {
  if (status === "approved") return ["open"];
  return status === "expired" ? ["expired", "open"] : [status];
}

/**
 * A proposal, with whether the caller may approve it, and for readers of the whole project with what it does to people while
 * it can be applied. Throws `not_found`, `forbidden`.
 */
export async function getProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  rerun: Rerun,
): Promise<ProposalView> {
  const { project } = place;
  const found = await findReadable(app, caller, place);
  const shown = {
    ...(await view(app, caller, found, rerun)),
    mayApprove: await mayApprove(app, caller, found),
  };
  if (!hasScope(caller, "flags:read", { project })) return shown;
  if (shown.isOutdated || (shown.status !== "open" && shown.status !== "approved")) return shown;
  const planned = await planNow(app, found, rerun);
  return planned ? { ...shown, impact: await impactOf(app, project, planned.changes) } : shown;
}

/** The event that the webhooks of the project get, without settings of forms: any editor of flags may add a webhook. */
export async function eventsOf(
  app: ProposalsApp,
  type: string,
  proposal: Proposal,
  impact?: Impact,
): Promise<ProposalEvent[]> {
  const timestamp = isoTime(app.now());
  const change = { ...(await view(app, null, proposal)), ...(impact && { impact }) };
  return [{ type, change, body: JSON.stringify({ type, timestamp, data: { change } }) }];
}

/** A proposal as a caller, or with null anyone, may see it: settings of forms need a scope of their own. */
function shownTo(caller: Caller | null, proposal: Proposal): Proposal {
  const { project, differences } = proposal;
  if (caller !== null && hasScope(caller, "forms:read", { project })) return proposal;
  const hidden = (state: unknown) => (state === null ? null : {});
  const shown = differences.map((each) =>
    each.kind === "form" ? { ...each, before: hidden(each.before), after: hidden(each.after) } : each,
  );
  return { ...proposal, differences: shown };
}

export async function view(
  app: ProposalsApp,
  caller: Caller | null,
  proposal: Proposal,
  rerun: Rerun | null = null,
  rights?: KnownRights,
): Promise<ProposalView> {
  const project = await app.store.projects.find(proposal.project);
  const known = project ?? { environments: [] };
  const needed = approvalsNeeded(proposal, known);
  const approveWith = factorNeeded(proposal, known);
  const now = app.now();
  const isLive = proposal.status === "open" && proposal.expiresAt > now;
  const isOutdated = isLive && rerun !== null && (await isOutdatedNow(app, proposal, rerun));
  return viewProposal(shownTo(caller, await standing(app, proposal, rights)), {
    needed,
    approveWith,
    now,
    isOutdated,
  });
}

/** Whether proposals are outdated, as was found at a version of the setup, by their etag. */
const known = new WeakMap<object, Map<string, { version: number; isOutdated: boolean }>>();
const MAX_KNOWN = 1000;

/** Whether a proposal would make something else now; planned once for each version of the setup. */
async function isOutdatedNow(app: ProposalsApp, proposal: Proposal, rerun: Rerun): Promise<boolean> {
  const { version } = await app.store.readVersion();
  if (version === proposal.version + 1) return false;
  let ofStore = known.get(app.store);
  if (!ofStore) known.set(app.store, (ofStore = new Map()));
  const before = ofStore.get(proposal.etag);
  if (before?.version === version) return before.isOutdated;
  const isOutdated = (await planNow(app, proposal, rerun))?.etag !== proposal.etag;
  if (ofStore.size >= MAX_KNOWN) ofStore.clear();
  ofStore.set(proposal.etag, { version, isOutdated });
  return isOutdated;
}

type PlannedNow = { etag: string; changes: readonly SetupChange[] };

/** The changes that a proposal would make now; undefined if it cannot make them any more. */
async function planNow(app: ProposalsApp, proposal: Proposal, rerun: Rerun): Promise<PlannedNow | undefined> {
  let planned: PlannedNow | undefined;
  const planner: Caller = {
    name: "formflag",
    type: "operator",
    grants: [{ scopes: ["admin"] }],
    hasConfirmed: () => true,
    verify: async () => {},
    review: reviewed(async (changes) => {
      const { id, project, operation } = proposal;
      const approved = await approvedIn(app, { project, names: operation.names }, changes);
      planned = { etag: etagOf(id, approved), changes };
      return null;
    }),
  };
  try {
    await rerun(proposal.operation, planner);
  } catch (error) {
    if (error instanceof AppError && error.code !== "unavailable") return undefined;
    throw error;
  }
  return planned;
}
