import type { Child } from "../markup.ts";
import type { AppError } from "../../../base/errors.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { useView } from "../view.ts";
import { Danger } from "./danger.tsx";
import { Notice } from "./status.tsx";

/** Thrown in place of a result: the change was proposed. */
export class ProposedInstead extends Error {
  readonly change: ProposalView;

  constructor(change: ProposalView) {
    super();
    this.change = change;
  }
}

/** How long a change stays open that a page proposes. */
export const PROPOSED_FOR = "14d";

/** Content of that page: its title, the way back, and the change. */
type Asked = { title: string; back: { to: string; label: string }; change: Child };

/** The page that asks whether to propose a change that needs approvals; it sends the same form once more. */
export function proposalFormPage(
  values: readonly [name: string, value: string][],
  why: string,
  { title, back, change }: Asked,
  refusal: AppError,
): Page {
  return {
    title,
    heading: "Propose this change?",
    section: "flags",
    status: 428,
    back,
    content: (
      <div class="stack narrow">
        <Notice>
          <p>{sentence(refusal.message)}</p>
        </Notice>
        {change}
        <ProposalForm values={values} why={why} back={back} />
      </div>
    ),
  };
}

function ProposalForm({
  values,
  why,
  back,
}: {
  values: readonly [name: string, value: string][];
  why: string;
  back: Asked["back"];
}) {
  return (
    <Danger
      to={useView().path}
      values={[...values, ["propose", PROPOSED_FOR]]}
      id="proposal"
      why={why}
      whyId="propose-why"
      kind="primary"
      act="Propose for approval"
      back={{ to: back.to }}
    />
  );
}
