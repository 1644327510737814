import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { getProject } from "../../projects/projects.ts";
import type { ProposalsApp } from "../store.ts";
import { placesOf, requireOpen } from "./found.ts";
import { type Proposal, approversOf, isOwn } from "./proposal.ts";
import { standing } from "./standing.ts";

/** Throws `forbidden` unless a caller may review a proposal. */
export async function requireReviewer(app: ProposalsApp, caller: Caller, proposal: Proposal): Promise<void> {
  const { project } = proposal;
  for (const environment of placesOf(proposal))
    requireScope(caller, "flags:locked", { project, environment });
  if (caller.type !== "user" || caller.via !== undefined)
    throw new AppError("forbidden", "only a person who is signed in reviews a change", {
      reason: "review-person",
      hint: "sign in to the dashboard, or log in with formflag login",
    });
  if (proposal.type === "user" && isOwn(proposal, caller.name, await getProject(app, project)))
    throw new AppError("forbidden", "you cannot review your own change", { reason: "review-own" });
}

/** The same for an approval. Throws `conflict` for a second one. */
export async function requireApprover(app: ProposalsApp, caller: Caller, proposal: Proposal): Promise<void> {
  await requireReviewer(app, caller, proposal);
  if (approversOf(await standing(app, proposal)).includes(caller.name))
    throw new AppError("conflict", "you have approved this change already", { reason: "change-approved" });
}

/** Whether a caller may approve a proposal as it is, by presenting a second factor where it takes one. */
export async function mayApprove(app: ProposalsApp, caller: Caller, proposal: Proposal): Promise<boolean> {
  try {
    requireOpen(proposal, app.now());
    await requireApprover(app, caller, proposal);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code !== "unavailable") return false;
    throw error;
  }
}
