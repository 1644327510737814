import { currentRights } from "../../access/review/current-rights.ts";
import { hasScope } from "../../access/rights.ts";
import type { ProposalsApp } from "../store.ts";
import { placesOf } from "./found.ts";
import { type Proposal, isOwn } from "./proposal.ts";

/** Users that are read at a time. */
const PAGE = 200;

/** Addresses that are mailed about one proposal at most. */
const MOST = 100;

/** The addresses of the people who may approve a proposal and want mail about it. */
export async function addressesToMail(app: ProposalsApp, proposal: Proposal): Promise<string[]> {
  const { project, createdAt } = proposal;
  const known = (await app.store.projects.find(project)) ?? { environments: [] };
  const addresses = new Set<string>();
  for (let after: string | undefined; ;) {
    const page = await app.store.users.page({ limit: PAGE, after });
    for (const { name, settings } of page.items) {
      const { reviewMail = null } = settings;
      if (reviewMail === null || (proposal.type === "user" && isOwn(proposal, name, known))) continue;
      const account = await app.store.users.account(name);
      const rights = await currentRights(app, { type: "user", name, account, project }, createdAt);
      const may = (environment: string | undefined) =>
        rights !== null && hasScope(rights, "flags:locked", { project, environment });
      if (placesOf(proposal).every(may)) addresses.add(reviewMail);
    }
    const last = page.items.at(-1);
    if (!page.more || !last || addresses.size >= MOST) return [...addresses].slice(0, MOST);
    after = last.name;
  }
}
