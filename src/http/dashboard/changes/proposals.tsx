import { actorName } from "../../../access/source.ts";
import type { AppError } from "../../../base/errors.ts";
import { type ProposalView, isOwn } from "../../../documents/changes/proposal.ts";
import { changes as operations } from "../../../operations/changes/changes.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOrNull } from "../fields.ts";
import { PROPOSAL } from "../notice-pages.ts";
import { type ParametersOf, RELEASES, pathTo, projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import type { Environment } from "../../../projects/environment.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { Diff } from "../parts/diff.tsx";
import { WhyField } from "../parts/field.tsx";
import { Button, ButtonForm, Form } from "../parts/link.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { projectPage } from "../project/project-page.tsx";
import { useMay, useView } from "../view.ts";
import { environmentOf } from "./revision-card.tsx";

/** Reviews and other steps of a proposal, and what is said of it afterwards. */
const STEPS = [
  [
    "approve",
    ({ status }: ProposalView) => (status === "approved" ? "Approved: it can be applied." : "Approved."),
  ],
  ["reject", () => "Rejected."],
  ["withdraw", () => "Withdrawn."],
  ["apply", ({ summary }: ProposalView) => `Applied: ${summary}.`],
  ["refresh", () => "Planned again."],
] as const;

export function proposalRoutes({ app, get, post, act, perform }: Dashboard) {
  const show = async (
    c: DashboardContext,
    names: ParametersOf<typeof PROPOSAL>,
    error: AppError | null = null,
  ) => {
    const [{ environments }, { change: proposal }] = await Promise.all([
      getProject(app, names.project),
      perform(c, operations.get, { names }),
    ]);
    return proposalPage({ environments, proposal, error });
  };

  get(PROPOSAL, "flags:read", (c, place) => show(c, place));
  for (const [name, said] of STEPS)
    post(
      `${PROPOSAL}/${name}`,
      "flags:read",
      act({
        operation: operations[name],
        input: ({ fields, names }) => ({
          names,
          etag: textOrNull(fields, "etag") ?? undefined,
          ...(name === "reject" && { body: { why: textOrNull(fields, "why") } }),
        }),
        done: ({ change }, { names }) => ({ to: pathTo(PROPOSAL, names), text: said(change) }),
        again: async ({ c, names }, _, error) => {
          const status = error.code === "unapproved" || error.code === "unconfirmed" ? 428 : 409;
          return { ...(await show(c, names, error)), status };
        },
        at: { conflict: "", outdated: "", unapproved: "", unconfirmed: "" },
      }),
    );
}

const TONES: Record<ProposalView["status"], Tone> = {
  open: "info",
  approved: "good",
  applied: "good",
  rejected: "bad",
  withdrawn: "neutral",
  expired: "warn",
};

type Shown = { environments: readonly Environment[]; proposal: ProposalView; error: AppError | null };

function proposalPage({ environments, proposal, error }: Shown): Page {
  const { id, project, summary } = proposal;
  return projectPage({
    project,
    tab: "releases",
    title: `Change ${id}: ${summary}`,
    heading: sentence(summary).replace(/\.$/, ""),
    back: { to: pathTo(RELEASES, { project }), label: "Releases" },
    ...(error && { topics: [] }),
    commands: [
      ["Shows the same", "changes get", id, { p: project }],
      ["Approves it", "changes approve", id, { p: project, etag: proposal.etag }],
      ["Applies it", "changes apply", id, { p: project, etag: proposal.etag }],
    ],
    content: (
      <div class="stack">
        {error && (
          <Notice tone="bad">
            <p>{sentence(error.message)}</p>
            {error.hint !== null && <p>{sentence(error.hint)}</p>}
          </Notice>
        )}
        <About environments={environments} proposal={proposal} />
        <Differences proposal={proposal} />
        <Reviews proposal={proposal} />
        <Steps environments={environments} proposal={proposal} />
      </div>
    ),
  });
}

function About({ environments, proposal }: Omit<Shown, "error">) {
  const { why, createdAt, expiresAt, appliedBy, appliedAt, needed } = proposal;
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">
        Proposal <StatusOf proposal={proposal} />
      </h2>
      <Facts
        class="row"
        facts={[
          [
            "In",
            proposal.environments.map((slug) => (
              <EnvironmentName environment={environmentOf(environments, slug)} />
            )),
          ],
          [
            "Proposed",
            <>
              <Foreign text={actorName(proposal)} />, <Time at={Date.parse(createdAt)} /> (
              <ExactTime at={Date.parse(createdAt)} />)
            </>,
          ],
          why !== null && ["Why", <Foreign text={why} />],
          ["Approvals", `${approvedBy(proposal)} of ${needed}`],
          (proposal.status === "open" || proposal.status === "approved") && [
            "Expires",
            <Time at={Date.parse(expiresAt)} />,
          ],
          appliedAt !== null && [
            "Applied",
            <>
              <Foreign text={appliedBy ?? ""} />, <ExactTime at={Date.parse(appliedAt)} />
            </>,
          ],
        ]}
      />
      {proposal.isOutdated && (
        <Notice tone="warn" title="This change is outdated">
          <p>What it changes was changed since. Refresh it to see what it would make now.</p>
        </Notice>
      )}
    </section>
  );
}

/** The status of a proposal, and whether it is outdated or went without approvals. */
function StatusOf({ proposal: { status, isOutdated, bypass } }: { proposal: ProposalView }) {
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

const VERBS = { create: "Created", update: "Changed", delete: "Deleted" } as const;

function Differences({ proposal: { differences } }: { proposal: ProposalView }) {
  return (
    <section class="stack" aria-labelledby="differences">
      <h2 id="differences">What it changes</h2>
      {differences.map(({ action, kind, path, before, after }) => (
        <article class="card">
          <h3>
            <span title={path}>{placeInWords(path)}</span>{" "}
            <Badge>{`${kind} ${VERBS[action].toLowerCase()}`}</Badge>
          </h3>
          <Diff before={stateOf(before)} after={stateOf(after)} />
        </article>
      ))}
    </section>
  );
}

/** `checkout in production`; a place other than a flag stays a path. */
function placeInWords(path: string) {
  const [, flag, environment] =
    /^projects\.[\w$-]+\.flags\.([\w$-]+)(?:\.environments\.([\w$-]+))?$/.exec(path) ?? [];
  if (flag === undefined) return <code>{path}</code>;
  return environment === undefined ? flag : `${flag} in ${environment}`;
}

function stateOf(state: unknown): unknown {
  if (state === null) return {};
  return typeof state === "object" && !Array.isArray(state) ? state : { rule: state };
}

function Reviews({ proposal: { reviews } }: { proposal: ProposalView }) {
  if (reviews.length === 0) return null;
  return (
    <section class="card" aria-labelledby="reviews">
      <h2 id="reviews">Reviews</h2>
      <ul class="items stack">
        {reviews.map(({ who, verdict, why, at }) => (
          <li>
            <Badge tone={verdict === "approved" ? "good" : "bad"}>{verdict}</Badge> <Foreign text={who} />,{" "}
            <ExactTime at={Date.parse(at)} />
            {why !== null && (
              <blockquote>
                <Foreign text={why} />
              </blockquote>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The steps that the user may take; the operations check them again. */
function Steps({ environments: all, proposal }: Omit<Shown, "error">) {
  const { caller } = useView();
  const { id, project, environments, etag, status, reviews, isOutdated } = proposal;
  const places = environments.length === 0 ? [undefined] : environments;
  const isAuthor = caller?.name === proposal.who;
  const isReviewer = places.every((environment) => useMay("flags:locked", { project, environment }));
  const mayApply = places.every((environment) => useMay("flags:write", { project, environment }));
  if (status !== "open" && status !== "approved") return null;
  const to = (step: string) => `${projectPath(project)}/changes/${encodeURIComponent(id)}/${step}`;
  const hasApproved = reviews.some((each) => each.who === caller?.name && each.verdict === "approved");
  const mustWait = caller != null && isOwn(proposal, caller.name, { environments: all });
  const mayReview = isReviewer && !mustWait;
  return (
    <section class="card stack" aria-labelledby="steps">
      <h2 id="steps">Next</h2>
      <div class="buttons">
        {mayApply && status === "approved" && (
          <ButtonForm to={to("apply")} values={{ etag }} kind="primary">
            Apply
          </ButtonForm>
        )}
        {mayReview && !hasApproved && (
          <ButtonForm to={to("approve")} values={{ etag }} kind={status === "open" ? "primary" : ""}>
            Approve
          </ButtonForm>
        )}
        {isOutdated && (isAuthor || isReviewer) && <ButtonForm to={to("refresh")}>Refresh</ButtonForm>}
        {(isAuthor || isReviewer) && <ButtonForm to={to("withdraw")}>Withdraw</ButtonForm>}
      </div>
      {mustWait && <p class="soft">Somebody else has to approve it.</p>}
      {mayReview && (
        <Form to={to("reject")} class="narrow stack" id="reject">
          <WhyField id="reject-why" value="" />
          <p class="buttons">
            <Button kind="danger">Reject</Button>
          </p>
        </Form>
      )}
    </section>
  );
}
