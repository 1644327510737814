import { actorName } from "../../../access/source.ts";
import type { App } from "../../../app.ts";
import { approvalsNeeded, PROPOSAL_LIMITS, statusOf } from "../../../documents/changes/proposal.ts";
import { flagsOf } from "../../../documents/changes/proposed-differences.ts";
import { type KnownRights, standing } from "../../../documents/changes/standing.ts";
import type { Project } from "../../../projects/project.ts";
import { changePath } from "../notice-pages.ts";
import { A } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";

/** A proposed change of a flag that is not made yet. */
export type Proposed = { id: string; summary: string; who: string; words: string };

/** The open proposals of a project, the newest first, by the flag and the environment that they change. */
export async function proposedIn(app: App, project: Project): Promise<Map<string, Map<string, Proposed[]>>> {
  const query = { statuses: ["open"], limit: PROPOSAL_LIMITS.open } as const;
  const { items } = await app.store.proposals.page(project.slug, query);
  const found = new Map<string, Map<string, Proposed[]>>();
  const rights: KnownRights = new Map();
  for (const each of items) {
    const proposal = await standing(app, each, rights);
    const status = statusOf(proposal, approvalsNeeded(proposal, project), app.now());
    if (status === "expired") continue;
    const words = status === "approved" ? "Approved, to be applied" : "Waits for approval";
    const { id, summary } = proposal;
    for (const { flag, environment } of flagsOf(proposal)) {
      const own = found.get(flag) ?? new Map<string, Proposed[]>();
      const all = own.get(environment) ?? [];
      found.set(flag, own);
      if (all.at(-1)?.id !== id)
        own.set(environment, [...all, { id, summary, who: actorName(proposal), words }]);
    }
  }
  return found;
}

/** The open proposals of a flag, so that none is made twice. */
export function ProposedNotice({ project, proposed }: { project: string; proposed: readonly Proposed[] }) {
  if (proposed.length === 0) return null;
  return (
    <Notice>
      {proposed.map(({ id, summary, who, words }) => (
        <p>
          {words}:{" "}
          <A to={changePath(project, id)}>
            <Foreign text={summary} />
          </A>
          , by <Foreign text={who} />.
        </p>
      ))}
    </Notice>
  );
}
