import type { Caller } from "../../access/caller.ts";
import { BY_ITSELF } from "../../access/audit/audit.ts";
import type { AuditAction } from "../../access/audit/entry.ts";
import { change } from "../../access/door.ts";
import { accountOf, isActor } from "../../access/review/current-rights.ts";
import { requireScope } from "../../access/rights.ts";
import { type Presented, presentFactor } from "../../access/factors/presented.ts";
import { AppError } from "../../base/errors.ts";
import type { ProposalsApp } from "../store.ts";
import {
  type ProposalPlace,
  findProposal,
  findReadable,
  placesOf,
  requireEtag,
  requireOpen,
  update,
} from "./found.ts";
import type { Proposal, ProposalView, Verdict } from "./proposal.ts";
import type { ProposalChange } from "./proposal-change.ts";
import { requireFactor } from "./approval-factor.ts";
import { requireApprover, requireReviewer } from "./reviewers.ts";
import { eventsOf, view } from "./views.ts";

/**
 * Approves a proposal at the etag that the reviewer has seen, with a code or a passkey of the caller where that is asked for.
 * Throws `forbidden` for its author, for a token, without `flags:locked` in all its environments, and as
 * {@link presentFactor}; `unconfirmed` without the factor; `conflict` for another etag, a second approval, and a closed
 * proposal.
 */
export async function approveProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  { etag, code }: { etag: string | null; code?: string | undefined },
): Promise<ProposalView> {
  const presented: Presented | null =
    caller.passkey !== undefined ? { passkey: caller.passkey } : code === undefined ? null : { code };
  const requireApprovable = async (proposal: Proposal) => {
    await requireApprover(app, caller, proposal);
    requireEtag(proposal, etag);
    await requireFactor(app, caller, proposal, presented);
  };
  const found = requireOpen(await findProposal(app, place), app.now());
  await requireApprovable(found);
  // It is spent before the change is planned, which may happen several times.
  const factor = presented && (await presentFactor(app, caller, presented, actOf(found)));
  return review(app, caller, place, "change.approve", "change.approved", async (proposal, at) => {
    await requireApprovable(proposal);
    const verdict = await verdictOf(app, caller, "approved", caller.why, at);
    const others = proposal.reviews.filter((each) => each.who !== caller.name);
    return { reviews: [...others, { ...verdict, ...(factor && { factor }) }] };
  });
}

/** The approval of a proposal as it is now, for which alone a passkey answers. */
export function actOf({ project, id, etag }: Pick<Proposal, "project" | "id" | "etag">): string[] {
  return ["approve", project, id, etag];
}

/** Rejects a proposal for good. Throws as {@link approveProposal}. */
export function rejectProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  why: string | undefined,
): Promise<ProposalView> {
  return review(app, caller, place, "change.reject", "change.rejected", async (proposal, at) => ({
    status: "rejected",
    reviews: [...proposal.reviews, await verdictOf(app, caller, "rejected", why ?? caller.why, at)],
  }));
}

async function verdictOf(
  app: ProposalsApp,
  caller: Caller,
  verdict: Verdict["verdict"],
  why: string | undefined,
  at: number,
): Promise<Verdict> {
  return { who: caller.name, account: await accountOf(app, caller), verdict, why: why ?? null, at };
}

function review(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  action: AuditAction,
  type: string,
  decide: (proposal: Proposal, at: number) => Promise<Partial<Proposal>>,
): Promise<ProposalView> {
  return settleProposal(app, caller, place, async (proposal, at) => {
    await requireReviewer(app, caller, proposal);
    const after = { ...proposal, ...(await decide(proposal, at)) };
    return update(after, action, await eventsOf(app, type, after));
  });
}

/** Withdraws a proposal: by its author, or by who may review it. Throws `forbidden`, `conflict` for a proposal that is closed. */
export async function withdrawProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
): Promise<ProposalView> {
  await findReadable(app, caller, place);
  return settleProposal(app, caller, place, async (proposal) => {
    await requireOwnOrReviewer(app, caller, proposal);
    return update({ ...proposal, status: "withdrawn" }, "change.withdraw", []);
  });
}

/** Throws `forbidden` for a caller who is not the author of a proposal and may not review it. */
export async function requireOwnOrReviewer(
  app: ProposalsApp,
  caller: Caller,
  proposal: Proposal,
): Promise<void> {
  const { project } = proposal;
  const isAuthor = await isActor(app, caller, { ...proposal, name: proposal.who });
  if (caller.via !== undefined && !(isAuthor && caller.via === proposal.via))
    throw new AppError("forbidden", "an assistant withdraws and refreshes only what it has proposed itself");
  const scope = isAuthor ? "flags:write" : "flags:locked";
  for (const environment of placesOf(proposal)) requireScope(caller, scope, { project, environment });
}

/** Changes a proposal that is open, through the door. */
async function settleProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  plan: (proposal: Proposal, at: number) => Promise<ProposalChange & { change: "updateProposal" }>,
): Promise<ProposalView> {
  const settled = await change(app, caller, async ({ at }) => {
    const proposal = requireOpen(await findProposal(app, place), at);
    const settling = await plan(proposal, at);
    return { changes: [settling], result: settling.proposal };
  });
  return view(app, caller, settled);
}

/** Closes a proposal that has expired, if no other process was faster. */
export async function expireProposal(
  app: ProposalsApp,
  { project, change: id }: ProposalPlace,
): Promise<void> {
  await change(app, BY_ITSELF, async ({ at }) => {
    const proposal = await app.store.proposals.find(project, id);
    if (proposal?.status !== "open" || proposal.expiresAt > at) return { changes: [], result: undefined };
    const after: Proposal = { ...proposal, status: "expired" };
    const events = await eventsOf(app, "change.expired", after);
    return { changes: [update(after, "change.expire", events)], result: undefined };
  });
}
