import { FACTOR_WORDS, type SecondFactor } from "../../../access/factors/second-factor.ts";
import type { AppError } from "../../../base/errors.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { changes as operations } from "../../../operations/changes/changes.ts";
import { ENVIRONMENT } from "../../../projects/environment-card.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf, textOrNull } from "../fields.ts";
import { PROPOSAL } from "../notice-pages.ts";
import { type ParametersOf, RELEASES, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import type { Environment } from "../../../projects/environment.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { Diff } from "../parts/diff.tsx";
import { Badge, EnvironmentName, Notice, type Tone } from "../parts/status.tsx";
import { Actor, Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { projectPage } from "../project/project-page.tsx";
import { Decide, Settle } from "./decide.tsx";
import { environmentOf } from "./revision-card.tsx";

/** The message after an approval. */
export function approvedText({ status }: ProposalView): string {
  return status === "approved" ? "Approved: it can be applied." : "Approved.";
}

/** Reviews and other steps of a proposal, and what is said of it afterwards. */
const STEPS = [
  ["approve", approvedText],
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
    const own = c.get("session")?.signedIn.user.secondFactors ?? [];
    return proposalPage({ environments, proposal, error, own });
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
          ...(name === "approve" && fields.has("code") && { body: { code: textOf(fields, "code") } }),
        }),
        done: ({ change }, { names }) => ({ to: pathTo(PROPOSAL, names), text: said(change) }),
        again: async ({ c, names }, _, error) => {
          const wait = error.retryAfter === null ? {} : { "Retry-After": String(error.retryAfter) };
          return { ...(await show(c, names, error)), status: STATUSES[error.code] ?? 409, headers: wait };
        },
        at: { conflict: "", outdated: "", unapproved: "", unconfirmed: "", ...OF_FACTORS },
      }),
    );
}

/** Refusals of second factors, which are shown on the page. */
const OF_FACTORS = { "code-wrong": "", "code-throttled": "", "factor-not-set-up": "" };

const STATUSES: Partial<Record<AppError["code"], 400 | 403 | 428 | 429>> = {
  invalid: 400,
  unapproved: 428,
  unconfirmed: 428,
  forbidden: 403,
  rate_limited: 429,
};

const TONES: Record<ProposalView["status"], Tone> = {
  open: "info",
  approved: "good",
  applied: "good",
  rejected: "bad",
  withdrawn: "neutral",
  expired: "warn",
};

type Shown = {
  environments: readonly Environment[];
  proposal: ProposalView;
  error: AppError | null;
  own: readonly SecondFactor[];
};

function proposalPage({ environments, proposal, error, own }: Shown): Page {
  const { id, project, summary } = proposal;
  return projectPage({
    project,
    tab: "releases",
    title: `Change ${id}: ${summary}`,
    heading: sentence(summary).replace(/\.$/, ""),
    back: { to: pathTo(RELEASES, { project }), label: "Releases" },
    ...(error && { topics: [] }),
    hasPasskeys: proposal.approveWith !== null && own.includes("passkey"),
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
        <Differences proposal={proposal} />
        <ImpactCard proposal={proposal} />
        <About environments={environments} proposal={proposal} />
        <Reviews proposal={proposal} />
        <Settle environments={environments} proposal={proposal} />
        <Decide environments={environments} proposal={proposal} own={own} />
      </div>
    ),
  });
}

function About({ environments, proposal }: Omit<Shown, "error" | "own">) {
  const { why, createdAt, expiresAt, appliedBy, appliedAt, needed, approveWith } = proposal;
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
              <Actor by={proposal} />, <Time at={Date.parse(createdAt)} /> (
              <ExactTime at={Date.parse(createdAt)} />)
            </>,
          ],
          why !== null && ["Why", <Foreign text={why} />],
          [
            "Approvals",
            `${approvedBy(proposal)} of ${needed}${approveWith === null ? "" : `, with ${ENVIRONMENT.approveWith.kind.labels[approveWith]}`}`,
          ],
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

/** The effect of an open proposal on people, in the words that every message of it has. */
function ImpactCard({ proposal: { impact } }: { proposal: ProposalView }) {
  if (impact === undefined || impact.lines.length === 0) return null;
  return (
    <Card id="impact" title="What it does to people">
      <ul class="items">
        {impact.lines.map((line) => (
          <li>
            <Foreign text={line} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Reviews({ proposal: { reviews } }: { proposal: ProposalView }) {
  if (reviews.length === 0) return null;
  return (
    <section class="card" aria-labelledby="reviews">
      <h2 id="reviews">Reviews</h2>
      <ul class="items stack">
        {reviews.map(({ who, verdict, why, at, factor }) => (
          <li>
            <Badge tone={verdict === "approved" ? "good" : "bad"}>{verdict}</Badge> <Foreign text={who} />
            {factor !== null && ` with ${FACTOR_WORDS[factor]}`}, <ExactTime at={Date.parse(at)} />
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
