import { currentRights } from "../../access/review/current-rights.ts";
import { type Rights, hasScope } from "../../access/rights.ts";
import { satisfies } from "../../projects/approval.ts";
import type { ProposalsApp } from "../store.ts";
import { placesOf } from "./found.ts";
import { type Proposal, factorNeeded, isOwn } from "./proposal.ts";

/** The rights that reviewers have now, by what is known of them: a list looks at each reviewer once. */
export type KnownRights = Map<string, Promise<Rights | null>>;

/**
 * A proposal with those of its approvals that count: by accounts that are still here and may still approve it, with the
 * second factor that its environments ask for now. A closed proposal keeps the ones it was closed with.
 */
export async function standing(
  app: ProposalsApp,
  proposal: Proposal,
  known: KnownRights = new Map(),
): Promise<Proposal> {
  if (proposal.status !== "open") return proposal;
  const { project } = proposal;
  const found = (await app.store.projects.find(project)) ?? { environments: [] };
  const needed = factorNeeded(proposal, found);
  const reviews: Proposal["reviews"] = [];
  for (const review of proposal.reviews) {
    const { who: name, account = null, at } = review;
    const key = JSON.stringify([name, account ?? at]);
    if (!known.has(key)) known.set(key, currentRights(app, { type: "user", name, account, project }, at));
    const rights = await known.get(key)!;
    const may = (environment: string | undefined) =>
      rights !== null && hasScope(rights, "flags:locked", { project, environment });
    if (!placesOf(proposal).every(may) || !satisfies(review.factor ?? null, needed)) continue;
    // An approval by the author does not count once approvals of others are required.
    if (proposal.type === "user" && isOwn(proposal, name, found)) continue;
    reviews.push(review);
  }
  return { ...proposal, reviews };
}
