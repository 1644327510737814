import { type Caller, authorOf } from "../../access/caller.ts";
import type { Review, ReviewNote } from "../../access/review/review.ts";
import { actorName } from "../../access/source.ts";
import { accountOf } from "../../access/review/current-rights.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { formatBytes } from "../../base/bytes.ts";
import { dashedKey } from "../../base/ids.ts";
import { requireNeedsAfter } from "../../flags/requires/after.ts";
import type { SetupChange } from "../setup.ts";
import type { ProposalsApp } from "../store.ts";
import { type Rerun, insertion, reviewed } from "./found.ts";
import { impactOf } from "./impact.ts";
import {
  PROPOSAL_LIMITS,
  type Proposal,
  type ProposalView,
  type ProposedOperation,
  etagOf,
} from "./proposal.ts";
import { addressesToMail } from "./review-mail.ts";
import { approvedIn, summaryOf } from "./proposed-differences.ts";
import { eventsOf, view } from "./views.ts";

/**
 * Proposes the changes of an operation instead of making them. If the operation would change nothing, `value` is its
 * answer. Throws like the operation, `conflict` for too many open proposals, `too_large`.
 */
export async function proposeChange(
  app: ProposalsApp,
  caller: Caller,
  operation: ProposedOperation,
  { project, lasts, planned }: { project: string; lasts: number; planned?: PlannedProposal },
  rerun: Rerun,
): Promise<{ change: ProposalView } | { value: unknown }> {
  let proposed: Proposal | undefined;
  const value = await rerun(operation, {
    ...caller,
    review: reviewed(async (changes, moment) => {
      proposed = undefined;
      if (changes.length === 0) return changes;
      planned?.requireAt(moment.version);
      const open = await proposalOf(app, caller, { operation, project }, changes, moment, planned?.id);
      await requireRoom(app, open, moment.at);
      proposed = { ...open, expiresAt: moment.at + lasts };
      const impact = await impactOf(app, project, changes);
      return [
        insertion(
          proposed,
          "change.propose",
          await eventsOf(app, "change.proposed", proposed, impact),
          await addressesToMail(app, proposed),
        ),
      ];
    }),
  });
  return proposed ? { change: await view(app, caller, proposed) } : { value };
}

/** A proposal by a plan: its id, and what throws unless the setup has the version of the plan. */
type PlannedProposal = { id: string; requireAt: (version: number) => void };

/** Throws `conflict` where a proposal is more than a project, or its author in it, may have open. */
export async function requireRoom({ store }: ProposalsApp, proposal: Proposal, at: number): Promise<void> {
  const { project, who, operation, differences } = proposal;
  const bytes = sizeOf(operation) + sizeOf(differences);
  const { all, own } = await store.proposals.sumOpen(project, at, proposal);
  for (const [whose, open, most, mostBytes] of [
    [`"${who}" has`, own, PROPOSAL_LIMITS.own, PROPOSAL_LIMITS.ownBytes],
    [`project ${project} has`, all, PROPOSAL_LIMITS.open, PROPOSAL_LIMITS.openBytes],
  ] as const) {
    if (open.count < most && open.bytes + bytes <= mostBytes) continue;
    const full = open.count < most ? `${formatBytes(mostBytes)} of open changes` : `${most} open changes`;
    throw new AppError("conflict", `${whose} ${full} already`, {
      reason: "changes-full",
      hint: "apply, reject or withdraw some first",
    });
  }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * The review of a change that an administrator makes at once, without the approvals that it needs. Throws `invalid` without a
 * reason.
 */
export function bypassing(app: ProposalsApp, caller: Caller, operation: ProposedOperation): Review {
  const { why } = caller;
  if (why === undefined)
    throw new AppError("invalid", "a change that bypasses approvals needs a reason", {
      reason: "bypass-unexplained",
      hint: "give it in the header X-Why",
    });
  let [place, note] = [null as string | null, null as ReviewNote | null];
  return {
    isReviewed: false,
    admit(project) {
      requireScope(caller, "admin", { project });
      place = project;
    },
    async settle(changes, moment) {
      note = null;
      if (place === null || changes.length === 0) return changes;
      const planned = await proposalOf(app, caller, { operation, project: place }, changes, moment);
      const done = { status: "applied", bypass: true, appliedBy: caller.name, appliedAt: moment.at } as const;
      const proposal: Proposal = { ...planned, ...done, expiresAt: moment.at };
      note = { change: proposal.id, author: actorName(proposal), approvers: [], bypass: true };
      const events = await eventsOf(app, "change.bypassed", proposal);
      return [...changes, insertion(proposal, "change.bypass", events)];
    },
    note: () => note,
  };
}

/** The open proposal that proposes a plan, and expires at once. Throws `too_large`. */
export async function proposalOf(
  app: ProposalsApp,
  caller: Caller,
  { operation, project }: { operation: ProposedOperation; project: string },
  planned: readonly unknown[],
  { version, at }: { version: number; at: number },
  id = dashedKey(app.random),
): Promise<Proposal> {
  const changes = planned as readonly SetupChange[];
  await requireNeedsAfter(app.store, changes);
  const approved = await approvedIn(app, { project, names: operation.names }, changes);
  const { environments, differences } = approved;
  for (const [what, value] of [
    ["a proposed change", operation],
    ["what a change makes", differences],
  ] as const)
    if (sizeOf(value) > PROPOSAL_LIMITS.bytes)
      throw new AppError("too_large", `${what} takes at most ${PROPOSAL_LIMITS.bytes / 1024} KiB`);
  const { who, type = "system", via } = authorOf(caller, at);
  return {
    id,
    project,
    environments,
    summary: summaryOf(differences, environments).slice(0, PROPOSAL_LIMITS.summary),
    why: caller.why ?? null,
    who,
    type,
    account: await accountOf(app, caller),
    via: via ?? null,
    status: "open",
    operation,
    differences,
    version,
    etag: etagOf(id, approved),
    reviews: [],
    createdAt: at,
    expiresAt: at,
    appliedBy: null,
    appliedAt: null,
    bypass: false,
  };
}
