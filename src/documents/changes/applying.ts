import type { Caller } from "../../access/caller.ts";
import { currentRights } from "../../access/review/current-rights.ts";
import type { ReviewNote } from "../../access/review/review.ts";
import { hasScope, requireScope } from "../../access/rights.ts";
import { actorName } from "../../access/source.ts";
import { AppError } from "../../base/errors.ts";
import { requireNeedsAfter } from "../../flags/requires/after.ts";
import { getProject } from "../../projects/projects.ts";
import type { SetupChange } from "../setup.ts";
import type { ProposalsApp } from "../store.ts";
import {
  type ProposalPlace,
  type Rerun,
  findProposal,
  findReadable,
  placesOf,
  requireEtag,
  requireOpen,
  reviewed,
  update,
} from "./found.ts";
import { type Proposal, type ProposalView, approvalsNeeded, approversOf, etagOf } from "./proposal.ts";
import { proposalOf, requireRoom } from "./proposals.ts";
import { type Approved, approvedIn } from "./proposed-differences.ts";
import { requireOwnOrReviewer } from "./reviews.ts";
import { standing } from "./standing.ts";
import { eventsOf, view } from "./views.ts";

/**
 * Applies an approved proposal: plans it again, and makes exactly the approved differences. Throws `outdated` if they
 * would differ, `unapproved` without enough approvals from people who may still approve, `forbidden` if its author or
 * the caller may not make the change, `conflict` for another etag and for a closed change.
 */
export async function applyProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  etag: string | null,
  rerun: Rerun,
): Promise<ProposalView> {
  let [applied, note, isPlanned] = [undefined as Proposal | undefined, null as ReviewNote | null, false];
  const found = requireOpen(await findReadable(app, caller, place), app.now());
  const { project } = found;
  for (const environment of placesOf(found)) requireScope(caller, "flags:write", { project, environment });
  requireEtag(found, etag);
  await requireApprovals(app, found);
  const author = await authorOfProposal(app, found);
  const acting: Caller = {
    ...caller,
    grants: author.grants,
    hasConfirmed: () => true,
    why: found.why ?? undefined,
    async verify() {
      await caller.verify();
      isPlanned = false;
    },
    review: {
      isReviewed: true,
      admit: () => {},
      note: () => note,
      async settle(planned, moment) {
        const changes = planned as readonly SetupChange[];
        await requireNeedsAfter(app.store, changes);
        isPlanned = true;
        const open = requireOpen(await findProposal(app, place), moment.at);
        requireEtag(open, etag);
        const proposal = await requireApprovals(app, open);
        await authorOfProposal(app, proposal);
        const { names } = proposal.operation;
        const fresh = await approvedIn(app, { project, names }, changes);
        // The rights and approvals checked above are for the environments that this reaches too.
        if (etagOf(proposal.id, fresh) !== proposal.etag) throw outdated(whatDiffers(proposal, fresh));
        const author = actorName(proposal);
        note = { change: proposal.id, author, approvers: approversOf(proposal), bypass: false };
        applied = { ...proposal, status: "applied", appliedBy: caller.name, appliedAt: moment.at };
        return [...changes, update(applied, "change.apply", await eventsOf(app, "change.applied", applied))];
      },
    },
  };
  try {
    await rerun(found.operation, acting);
  } catch (error) {
    // The plan alone fails so: what it changes is not there any more, or does not fit any more.
    if (error instanceof AppError && !isPlanned && OUTDATING.has(error.code))
      throw outdated(error.message, error);
    throw error;
  }
  return view(app, caller, applied!);
}

/** Codes with which a plan fails because of what was changed since. */
const OUTDATING: ReadonlySet<string> = new Set(["not_found", "invalid", "conflict", "too_large"]);

function outdated(why: string, cause?: AppError): AppError {
  return new AppError("outdated", `this change would now do something else than proposed: ${why}`, {
    reason: "change-outdated",
    hint: "refresh it, and have it approved again",
    cause,
  });
}

/** In words, what a plan does that was not approved, or does no longer. */
function whatDiffers(approved: Approved, fresh: Approved): string {
  const [was, is] = [approved, fresh].map(
    ({ differences }) => new Map(differences.map((each) => [each.path, JSON.stringify(each)])),
  ) as [Map<string, string>, Map<string, string>];
  const path = [...was.keys(), ...is.keys()].find((each) => was.get(each) !== is.get(each));
  return path === undefined
    ? `it reaches ${fresh.environments.join(", ")}`
    : `${path} is not as it was approved`;
}

/** Plans a proposal again. If it would now do something else, its differences are replaced and its approvals void. */
export async function refreshProposal(
  app: ProposalsApp,
  caller: Caller,
  place: ProposalPlace,
  rerun: Rerun,
): Promise<ProposalView> {
  const found = requireOpen(await findReadable(app, caller, place), app.now());
  await requireOwnOrReviewer(app, caller, found);
  const author = await authorOfProposal(app, found);
  let refreshed: Proposal | undefined;
  await rerun(found.operation, {
    ...caller,
    grants: author.grants,
    hasConfirmed: () => true,
    review: reviewed(async (changes, moment) => {
      const proposal = requireOpen(await findProposal(app, place), moment.at);
      if (changes.length === 0)
        throw new AppError("outdated", "there is nothing left to change", {
          reason: "change-empty",
          hint: "withdraw it",
        });
      const { project, operation } = proposal;
      const planned = await proposalOf(app, caller, { operation, project }, changes, moment);
      const { environments, summary, differences, version } = planned;
      const etag = etagOf(proposal.id, planned);
      const reviews = etag === proposal.etag ? proposal.reviews : [];
      refreshed = { ...proposal, environments, summary, differences, version, etag, reviews };
      // It may reach other environments than before.
      await requireOwnOrReviewer(app, caller, refreshed);
      await requireRoom(app, refreshed, moment.at);
      return [update(refreshed, "change.refresh", [])];
    }),
  });
  return view(app, caller, refreshed!);
}

/** The proposal with the approvals that count. Throws `unapproved` without enough of them. */
async function requireApprovals(app: ProposalsApp, found: Proposal): Promise<Proposal> {
  const proposal = await standing(app, found);
  const needed = approvalsNeeded(proposal, await getProject(app, proposal.project));
  const given = approversOf(proposal).length;
  if (given >= needed) return proposal;
  throw new AppError("unapproved", `this change has ${given} of ${needed} approvals`, {
    reason: "approvals-missing",
  });
}

/** The rights that the author of a proposal has now. Throws `forbidden` for one who is gone, or may not make it any more. */
async function authorOfProposal(app: ProposalsApp, proposal: Proposal) {
  const { type, who, account, project, createdAt } = proposal;
  const rights = await currentRights(app, { type, name: who, account, project }, createdAt);
  const may = (environment?: string) =>
    rights !== null && hasScope(rights, "flags:write", { project, environment });
  if (rights && placesOf(proposal).every(may)) return rights;
  const fault = rights ? "lacks the scope flags:write now" : "is not here any more";
  throw new AppError("forbidden", `the author of this change, "${who}", ${fault}`, {
    reason: "author-gone",
  });
}
