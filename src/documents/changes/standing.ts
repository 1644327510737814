import { currentRights } from "../../access/review/current-rights.ts";
import { type Rights, hasScope } from "../../access/rights.ts";
import type { ProposalsApp } from "../store.ts";
import { placesOf } from "./found.ts";
import { type Proposal, type Verdict, isOwn } from "./proposal.ts";

/** The rights that reviewers have now, by what is known of them: a list looks at each reviewer once. */
export type KnownRights = Map<string, Promise<Rights | null>>;

/**
 * A proposal with those of its approvals that count: by accounts that are still here and may still approve it. A closed
 * proposal keeps the ones it was closed with.
 */
export async function standing(
  app: ProposalsApp,
  proposal: Proposal,
  known: KnownRights = new Map(),
): Promise<Proposal> {
  if (proposal.status !== "open") return proposal;
  const { project } = proposal;
  // An approval by the author does not count once approvals of others are required.
  const isOfAuthor = async ({ who }: Verdict) =>
    proposal.type === "user" &&
    who === proposal.who &&
    isOwn(proposal, who, (await app.store.projects.find(project)) ?? { environments: [] });
  const reviews: Proposal["reviews"] = [];
  for (const review of proposal.reviews) {
    const { who: name, account = null, at } = review;
    const key = JSON.stringify([name, account ?? at]);
    if (!known.has(key)) known.set(key, currentRights(app, { type: "user", name, account, project }, at));
    const rights = await known.get(key)!;
    const may = (environment: string | undefined) =>
      rights !== null && hasScope(rights, "flags:locked", { project, environment });
    if (placesOf(proposal).every(may) && !(await isOfAuthor(review))) reviews.push(review);
  }
  return { ...proposal, reviews };
}
