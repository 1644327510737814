import type { TimelineEvent } from "../../../forms/timeline.ts";
import type { DeliveryStatus } from "../../../delivery/delivery-status.ts";
import { A, ButtonForm } from "../parts/link.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { Foreign } from "../parts/text.tsx";
import { ExactTime, Time } from "../parts/time.tsx";
import { useMay } from "../view.ts";

/** Events that a page shows, the newest. */
const MAX_EVENTS = 100;

/** What happened to a submission. `retry` is where its failed deliveries are sent again. */
export function Timeline({ events, retry }: { events: readonly TimelineEvent[]; retry: string }) {
  const failed = events.filter((event) => event.event === "queued" && event.status === "failed").length;
  const mayWrite = useMay("forms:write");
  const shown = events.slice(-MAX_EVENTS);
  return (
    <section class="card" aria-labelledby="timeline-title">
      <h2 id="timeline-title">Timeline</h2>
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
        <ButtonForm to={retry} icon="send">
          {failed === 1 ? "Send the failed delivery again" : `Send ${failed} failed deliveries again`}
        </ButtonForm>
      )}
    </section>
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
  switch (event.event) {
    case "stored":
      if (event.explanation === null) return <>Stored</>;
      return (
        <>
          Stored as spam: <Foreign text={event.explanation} />
        </>
      );
    case "marked":
      return (
        <>
          {MARKED[event.mark]} by <Foreign text={event.who} />
        </>
      );
    case "queued":
      return (
        <>
          <A to={`/deliveries/${event.delivery}`}>Delivery</A> by {event.kind} to{" "}
          <Foreign text={event.target} /> <Badge tone={TONES[event.status]}>{event.status}</Badge>
          {event.nextAt !== null && (
            <>
              {" "}
              next attempt <Time at={Date.parse(event.nextAt)} />
            </>
          )}
        </>
      );
    case "attempted":
      return (
        <>
          Attempt by {event.kind} to <Foreign text={event.target} />{" "}
          {event.error === null ? <Badge tone="good">succeeded</Badge> : <Badge tone="bad">failed</Badge>}{" "}
          {event.error !== null && <Foreign text={event.error} />}
          <span class="soft">
            {event.code !== null && ` answered ${event.code}`} after {event.duration} ms
          </span>
        </>
      );
  }
}
