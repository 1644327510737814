import type { SecondFactor } from "../../../access/factors/second-factor.ts";
import { TAKES } from "../../../documents/changes/approval-factor.ts";
import { type ProposalView, isOwn } from "../../../documents/changes/proposal.ts";
import type { Environment } from "../../../projects/environment.ts";
import { satisfies } from "../../../projects/approval.ts";
import { TextField, WhyField } from "../parts/field.tsx";
import { Button, ButtonForm, ButtonLink, Form } from "../parts/link.tsx";
import { projectPath } from "../paths.ts";
import { addressOf, useMay, useView } from "../view.ts";

/** A proposal, and the second factors of the user who sees it. */
type Reviewed = { proposal: ProposalView; own: readonly SecondFactor[] };

/** A proposal, and the environments of its project. */
type Shown = { environments: readonly Environment[]; proposal: ProposalView };

/** The steps of a proposal that the user may take; the operations check it again. */
function rightsIn({ environments: all, proposal }: Shown) {
  const { project, environments, status, who, reviews } = proposal;
  const { caller } = useView();
  const places = environments.length === 0 ? [undefined] : environments;
  const isLive = status === "open" || status === "approved";
  const isAuthor = caller?.name === who;
  const mustWait = caller !== null && isOwn(proposal, caller.name, { environments: all });
  const isReviewer = places.every((environment) => useMay("flags:locked", { project, environment }));
  const mayApply = places.every((environment) => useMay("flags:write", { project, environment }));
  const hasApproved = reviews.some((each) => each.who === caller?.name && each.verdict === "approved");
  return {
    mustWait: isLive && mustWait,
    canSettle: isLive && (isAuthor || isReviewer),
    canReview: isLive && isReviewer && !mustWait,
    canApprove: isLive && isReviewer && !mustWait && !hasApproved,
    canApply: status === "approved" && mayApply,
  };
}

function pathOf({ project, id }: ProposalView, step: string): string {
  return `${projectPath(project)}/changes/${encodeURIComponent(id)}/${step}`;
}

/** The steps of a proposal that are seldom taken: planned again, withdrawn, or rejected with a reason. */
export function Settle({ environments, proposal }: Shown) {
  const { mustWait, canSettle, canReview } = rightsIn({ environments, proposal });
  if (!canSettle) return null;
  return (
    <section class="card stack" aria-labelledby="settle">
      <h2 id="settle">Or</h2>
      {mustWait && <p class="soft">Another person has to approve it.</p>}
      <div class="buttons">
        {proposal.isOutdated && <ButtonForm to={pathOf(proposal, "refresh")}>Refresh</ButtonForm>}
        <ButtonForm to={pathOf(proposal, "withdraw")}>Withdraw</ButtonForm>
      </div>
      {canReview && (
        <details>
          <summary>Reject…</summary>
          <Form to={pathOf(proposal, "reject")} class="narrow stack" id="reject">
            <WhyField id="reject-why" value="" />
            <p class="buttons">
              <Button kind="danger">Reject</Button>
            </p>
          </Form>
        </details>
      )}
    </section>
  );
}

/** The next step of a proposal, at the thumb on a phone: to approve it, or to apply it. `own` are the factors of the user. */
export function Decide({ environments, proposal, own }: Shown & Reviewed) {
  const { canApprove, canApply } = rightsIn({ environments, proposal });
  if (!canApprove && !canApply) return null;
  return (
    <section class="decide stack" aria-label="Next">
      {canApply && (
        <ButtonForm to={pathOf(proposal, "apply")} values={{ etag: proposal.etag }} kind="primary">
          Apply
        </ButtonForm>
      )}
      {canApprove && <Approve proposal={proposal} own={own} isMain={!canApply} />}
    </section>
  );
}

function Approve({ proposal, own, isMain }: Reviewed & { isMain: boolean }) {
  const { approveWith, etag } = proposal;
  const kind = isMain ? "primary" : "";
  if (approveWith === null)
    return (
      <ButtonForm to={pathOf(proposal, "approve")} values={{ etag }} kind={kind}>
        Approve
      </ButtonForm>
    );
  const usable = own.filter((factor) => satisfies(factor, approveWith));
  if (usable.length === 0)
    return (
      <>
        <p>To approve this change takes {TAKES[approveWith]}, which you do not have.</p>
        <div class="buttons">
          <ButtonLink to="/me">Add it under How you sign in</ButtonLink>
        </div>
      </>
    );
  const byCode = usable.includes("totp") && (
    <ByCode proposal={proposal} kind={usable.length === 1 ? kind : ""} />
  );
  if (!usable.includes("passkey")) return byCode;
  const action = addressOf(useView(), pathOf(proposal, "approve/passkey"));
  return (
    <>
      <form class="stack scripted-only" data-passkey="use" action={action}>
        <input type="hidden" name="etag" value={etag} />
        <p class="error" role="alert" data-fault />
        <Button kind={kind} icon="key">
          Approve with a passkey
        </Button>
      </form>
      {byCode ? (
        <details>
          <summary>Use a code</summary>
          {byCode}
        </details>
      ) : (
        <noscript>
          <p>To approve this change takes a passkey, which needs JavaScript.</p>
        </noscript>
      )}
    </>
  );
}

function ByCode({ proposal, kind }: { proposal: ProposalView; kind: "" | "primary" }) {
  return (
    <Form to={pathOf(proposal, "approve")} values={{ etag: proposal.etag }} class="stack">
      <TextField
        name="code"
        label="Code of your authenticator app"
        autocomplete="one-time-code"
        maxlength={40}
        required
      />
      <Button kind={kind}>Approve</Button>
    </Form>
  );
}
