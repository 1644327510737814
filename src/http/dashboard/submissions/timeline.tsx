import { eventText } from "../../../forms/inbox/handling.ts";
import type { TimelineEvent } from "../../../forms/inbox/timeline.ts";
import type { DeliveryStatus } from "../../../delivery/delivery-status.ts";
import { AskingButton } from "../parts/danger.tsx";
import { A } from "../parts/link.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { Foreign, ForeignValue } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { useMayWriteForms } from "../view.ts";

/** Events that a page shows, the newest. */
const MAX_EVENTS = 100;

/** Timeline of a submission. `retry` is the path that retries its failed deliveries. */
export function Timeline({
  events,
  project,
  retry,
}: {
  events: readonly TimelineEvent[];
  project: string;
  retry: string;
}) {
  const failed = events.filter((event) => event.event === "queued" && event.status === "failed").length;
  const mayWrite = useMayWriteForms(project);
  const shown = events.slice(-MAX_EVENTS);
  return (
    <>
      {shown.length < events.length && <p class="soft small">The first events are left out.</p>}
      <ol class="timeline">
        {shown.map((event) => (
          <li>
            <p>
              <Event event={event} />
            </p>
            <p class="soft small">
              <ExactTime at={Date.parse(event.at)} />
            </p>
          </li>
        ))}
      </ol>
      {failed > 0 && mayWrite && (
        <AskingButton
          to={retry}
          icon="send"
          question="The receivers may have got it already."
          confirm="Send again"
        >
          {failed === 1 ? "Send the failed delivery again…" : `Send ${failed} failed deliveries again…`}
        </AskingButton>
      )}
    </>
  );
}

const MARKED = {
  inbox: "Moved to the inbox",
  spam: "Marked as spam",
  archived: "Archived",
  read: "Marked as read",
  unread: "Marked as unread",
} as const;

const TONES: Record<DeliveryStatus, Tone> = {
  queued: "info",
  delivered: "good",
  failed: "bad",
  cancelled: "neutral",
};

function Event({ event }: { event: TimelineEvent }) {
  if (event.event === "stored")
    return event.explanation === null ? (
      <>Stored</>
    ) : (
      <>
        Stored as spam: <Foreign text={event.explanation} />
      </>
    );
  if ("who" in event) return <Handled event={event} />;
  if (event.event === "skipped")
    return (
      <>
        No automatic reply: <Foreign text={event.error} />
      </>
    );
  const { kind, target } = event;
  if (event.event === "queued")
    return (
      <>
        <A to={`/deliveries/${event.delivery}`}>Delivery</A> by {kind} to <Foreign text={target} />{" "}
        <Badge tone={TONES[event.status]}>{event.status}</Badge>
        {event.nextAt !== null && (
          <>
            {" "}
            next attempt <Time at={Date.parse(event.nextAt)} />
          </>
        )}
        {event.status === "queued" && event.nextAt === null && event.error !== null && (
          <>
            {" "}
            <Foreign text={event.error} />
          </>
        )}
      </>
    );
  const { error, code, duration } = event;
  return (
    <>
      Attempt by {kind} to <Foreign text={target} />{" "}
      {error === null ? <Badge tone="good">succeeded</Badge> : <Badge tone="bad">failed</Badge>}{" "}
      {error !== null && <Foreign text={error} />}{" "}
      <span class="soft">
        {error === null && code !== null && `answered ${code} `}after {duration} ms
      </span>
    </>
  );
}

/** An event with its user. */
function Handled({ event }: { event: Extract<TimelineEvent, { who: string }> }) {
  const who = <Foreign text={event.who} />;
  if (event.event === "marked")
    return (
      <>
        {MARKED[event.mark]} by {who}
      </>
    );
  const text = eventText(event);
  if (event.event === "noted" || event.event === "answered")
    return (
      <>
        {event.event === "noted" ? "Note by" : "Answered by"} {who}
        <ForeignValue text={text!} />
      </>
    );
  const name = text === null ? "nobody" : <Foreign text={text} />;
  if (event.event === "assigned")
    return (
      <>
        Assigned to {name} by {who}
      </>
    );
  return (
    <>
      Label {name} {event.event === "labeled" ? "added" : "removed"} by {who}
    </>
  );
}
