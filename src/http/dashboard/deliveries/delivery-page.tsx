import { creationOf } from "../../../base/ids.ts";
import type { DeliveryAttempt, DeliveryDetails } from "../../../delivery/delivery.ts";
import type { Page } from "../page.tsx";
import { submissionPath } from "../submissions/rows.tsx";
import { A } from "../parts/link.tsx";
import { Badge } from "../parts/status.tsx";
import { Card, Empty, Facts } from "../parts/card.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { useMayRetry } from "../view.ts";
import {
  NewUrlButton,
  StatusBadge,
  adviceFor,
  hasTarget,
  kindLabel,
  RetryButton,
  subjectOf,
} from "./delivery-words.tsx";

/** A delivery with its attempts; `recipient` is where it goes, without secrets. */
export function deliveryPage({
  delivery,
  recipient,
}: {
  delivery: DeliveryDetails;
  recipient: string;
}): Page {
  const { id, kind } = delivery;
  const form = subjectOf(delivery);
  return {
    title: `Delivery ${id.slice(-12)} of ${form}`,
    heading: (
      <>
        {kindLabel(kind)} of {form} <StatusBadge {...delivery} />
      </>
    ),
    section: "deliveries",
    back: { to: "/deliveries", label: "Deliveries" },
    topics: ["deliveries"],
    actions: <RetryOne delivery={delivery} />,
    commands: [
      ["Show it", "deliveries get", id],
      ["Send it again", "deliveries retry", id],
    ],
    content: (
      <div class="stack">
        <div class="columns">
          <About delivery={delivery} recipient={recipient} />
          <Request delivery={delivery} recipient={recipient} />
        </div>
        <Attempts history={delivery.history} />
      </div>
    ),
  };
}

function RetryOne({ delivery }: { delivery: DeliveryDetails }) {
  if (!useMayRetry(delivery)) return null;
  return (
    <>
      <RetryButton delivery={delivery} values={{ id: delivery.id, one: "1" }} kind="primary" />
      <NewUrlButton delivery={delivery} />
    </>
  );
}

function About({ delivery, recipient }: { delivery: DeliveryDetails; recipient: string }) {
  const { id, project, form, environment, event, submission, attempts, nextAt, code, error } = delivery;
  return (
    <Card id="about-title" title="Delivery">
      <Facts
        facts={[
          ["To", <Foreign text={recipient} />],
          form !== null &&
            submission !== null && [
              "Submission",
              <A to={submissionPath({ project, form, id: submission })}>{submission}</A>,
            ],
          event !== null && ["Event", event],
          environment !== null && ["Environment", environment],
          ["Queued", <ExactTime at={creationOf(id)} />],
          ["Attempts", attempts],
          nextAt !== null && ["Next attempt", <Time at={Date.parse(nextAt)} />],
          code !== null && ["Last answer", code],
          error !== null && ["Last error", <Foreign text={error} />],
          adviceFor(delivery) !== null && ["What to do", adviceFor(delivery)],
        ]}
      />
    </Card>
  );
}

/** Request body. A webhook gets the submission as `submissions get` prints it, signed again at each attempt. */
function Request({
  delivery: { id, kind, submission, event },
  recipient,
}: {
  delivery: DeliveryDetails;
  recipient: string;
}) {
  const isMail = kind === "mail" || !hasTarget(kind);
  const facts: [string, string][] = isMail
    ? [
        ["Protocol", "SMTP"],
        ["Recipient", recipient],
      ]
    : [
        ["Method", "POST"],
        ["URL", kind === "webhook" ? recipient : recipient.slice(recipient.indexOf(":") + 1)],
      ];
  if (kind === "webhook")
    facts.push(
      ["Event", event ?? "submission.created"],
      ["webhook-id", id],
      ["webhook-signature", "v1, by the secret of the target, made again at each attempt"],
    );
  const data = submission === null ? "the event as JSON" : `the submission ${submission}`;
  facts.push(["Body", kind === "webhook" ? data : "a message for people"]);
  return (
    <Card id="request-title" title="Request">
      <Facts facts={facts.map(([name, text]) => [name, <Foreign text={text} />])} />
      {!isMail && <p class="soft small">The path of the URL is not shown: it usually holds a secret.</p>}
    </Card>
  );
}

const COLUMNS: Column<DeliveryAttempt>[] = [
  { label: "Time", heading: true, cell: ({ at }) => <ExactTime at={Date.parse(at)} /> },
  {
    label: "Result",
    cell: ({ error }) => (
      <Badge tone={error === null ? "good" : "bad"}>{error === null ? "Accepted" : "Failed"}</Badge>
    ),
  },
  { label: "Answer", numeric: true, cell: ({ code }) => code ?? "none" },
  { label: "Duration", numeric: true, cell: ({ duration }) => `${duration.toLocaleString("en")} ms` },
  { label: "Error", cell: ({ error }) => error !== null && <Foreign text={error} /> },
];

function Attempts({ history }: { history: readonly DeliveryAttempt[] }) {
  return (
    <section class="stack" aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      {history.length === 0 ? (
        <Empty title="It has not been attempted yet" />
      ) : (
        <Table caption="Attempts, newest first" columns={COLUMNS} rows={history.toReversed()} />
      )}
    </section>
  );
}
