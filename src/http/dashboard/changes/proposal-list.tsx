import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { PROPOSAL_STATUSES } from "../../../projects/approval.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { SelectField } from "../parts/field.tsx";
import { A, ButtonLink } from "../parts/link.tsx";
import { BY_AGE, FilterForm, List } from "../parts/list.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { Foreign, counted } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import { projectPath } from "../paths.ts";
import { projectPage } from "../project/project-page.tsx";

type Status = ProposalView["status"];

const TONES: Record<Status, Tone> = {
  open: "info",
  approved: "good",
  applied: "good",
  rejected: "bad",
  withdrawn: "neutral",
  expired: "warn",
};

type Proposals = {
  project: string;
  status: Status | undefined;
  proposals: ProposalView[];
  isLater: boolean;
  next: string | null;
};

export function proposalsPage({ project, status, proposals, isLater, next }: Proposals): Page {
  const to = `${projectPath(project)}/changes`;
  return projectPage({
    project,
    tab: "changes",
    title: "Proposed changes",
    heading: "Proposed changes",
    commands: [["Lists the same", "changes list", { p: project, status: status ?? null }]],
    content: (
      <List
        filters={
          <FilterForm to={to} label="Filter">
            <SelectField
              name="status"
              label="Status"
              value={status ?? ""}
              options={[
                { value: "", label: "Any" },
                ...PROPOSAL_STATUSES.map((each) => ({ value: each as string, label: each })),
              ]}
            />
          </FilterForm>
        }
        empty={
          <Empty title={status === undefined ? "No change is proposed" : `No change is ${status}`}>
            <p class="soft">
              Where an environment needs approvals, a change is proposed, approved by others, and then
              applied.
            </p>
            {status === undefined && (
              <ButtonLink to={`${projectPath(project)}/settings`}>Set approvals of an environment</ButtonLink>
            )}
          </Empty>
        }
        rows={proposals}
        class="card"
        keyOf={({ id }) => `change-${id}`}
        card={(proposal) => (
          <>
            <h2>
              <A to={`${to}/${proposal.id}`}>{proposal.summary}</A> <StatusOf proposal={proposal} />
            </h2>
            <p class="soft">
              <Foreign text={proposal.who} />, <Time at={Date.parse(proposal.createdAt)} />,{" "}
              {approvedBy(proposal)} of {counted(proposal.needed, "approval")}
            </p>
            {proposal.why !== null && (
              <blockquote>
                <Foreign text={proposal.why} />
              </blockquote>
            )}
          </>
        )}
        pages={{
          to,
          query: { status },
          isLater,
          next: next === null ? null : { before: next },
          words: BY_AGE,
        }}
      />
    ),
  });
}

/** The status of a proposal, and whether it is outdated or went without approvals. */
export function StatusOf({ proposal: { status, isOutdated, bypass } }: { proposal: ProposalView }) {
  return (
    <>
      <Badge tone={TONES[status]}>{status}</Badge>
      {isOutdated && <Badge tone="warn">outdated</Badge>}
      {bypass && <Badge tone="bad">without approvals</Badge>}
    </>
  );
}

/** How many people have approved a proposal. */
export function approvedBy({ reviews }: ProposalView): number {
  return reviews.filter(({ verdict }) => verdict === "approved").length;
}
