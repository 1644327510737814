import type { Caller } from "../../access/caller.ts";
import type { AuditAction } from "../../access/audit/entry.ts";
import type { Review } from "../../access/review/review.ts";
import { hasScope, requireScope, requireScopeWithin } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import type { SetupChange } from "../setup.ts";
import type { ProposalsApp } from "../store.ts";
import { type Proposal, type ProposedOperation, noSuchProposal } from "./proposal.ts";
import type { ProposalChange, ProposalEvent } from "./proposal-change.ts";

/** Runs a proposed operation as a caller whose review decides what is applied. */
export type Rerun = (operation: ProposedOperation, caller: Caller) => Promise<unknown>;

/** A proposal of a project. */
export type ProposalPlace = { project: string; change: string };

/** A review that applies what `settle` returns, and has nothing for the history. */
export function reviewed(
  settle: (
    changes: readonly SetupChange[],
    moment: { version: number; at: number },
  ) => Promise<readonly SetupChange[] | null>,
): Review {
  return {
    isReviewed: true,
    admit: () => {},
    settle: (changes, moment) => settle(changes as readonly SetupChange[], moment),
    note: () => null,
  };
}

export async function findProposal(
  { store }: ProposalsApp,
  { project, change: id }: ProposalPlace,
): Promise<Proposal> {
  const proposal = await store.proposals.find(project, id);
  if (!proposal) throw noSuchProposal(id);
  return proposal;
}

/** The proposal, for a caller who may read flags in all that it reaches. Throws `not_found`, `forbidden`. */
export async function findReadable(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
): Promise<Proposal> {
  const { project } = place;
  requireScopeWithin(caller, "flags:read", project);
  const proposal = await findProposal(app, place);
  for (const environment of placesOf(proposal)) requireScope(caller, "flags:read", { project, environment });
  return proposal;
}

/** Whether {@link findReadable} returns a proposal to the caller. */
export function isReadable(caller: Caller, proposal: Proposal): boolean {
  const { project } = proposal;
  return placesOf(proposal).every((environment) => hasScope(caller, "flags:read", { project, environment }));
}

/** Throws `conflict` for a proposal that is closed. */
export function requireOpen(proposal: Proposal, now: number): Proposal {
  const { status, expiresAt } = proposal;
  const closed = status === "open" && expiresAt <= now ? "expired" : status;
  if (closed === "open") return proposal;
  const been = closed === "expired" ? "has expired" : `was ${closed}`;
  throw new AppError("conflict", `this change ${been}`, { reason: "change-closed" });
}

/** Throws `unconfirmed` if the caller names no etag, and `conflict` if it is not the present one. */
export function requireEtag(proposal: Proposal, etag: string | null): void {
  if (etag === null)
    throw new AppError("unconfirmed", "the change that you have seen is not named", {
      reason: "etag-missing",
      hint: "send its etag in the header If-Match",
    });
  if (proposal.etag === etag) return;
  throw new AppError("conflict", "this change is not what you have seen: it was refreshed since", {
    reason: "change-differs",
  });
}

/** The environments that rights in a proposal are needed in; for none, the project. */
export function placesOf({ environments }: Proposal): (string | undefined)[] {
  return environments.length === 0 ? [undefined] : environments;
}

export function insertion(
  proposal: Proposal,
  action: AuditAction,
  events: ProposalEvent[],
  mail: readonly string[] = [],
): ProposalChange {
  return { change: "insertProposal", project: proposal.project, proposal, action, events, mail };
}

export function update(proposal: Proposal, action: AuditAction, events: ProposalEvent[]) {
  return { change: "updateProposal" as const, project: proposal.project, proposal, action, events };
}
