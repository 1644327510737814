import { DAY_MS } from "../../base/days.ts";
import type { Job } from "../../base/jobs.ts";
import type { Attempt } from "../../delivery/attempt.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import type { ChangesApp } from "../store.ts";
import type { ChangeDelivery } from "./change-delivery.ts";

type Sending = {
  outgoing: () => Promise<Outgoing>;
  /** Seconds after each failed attempt until the next one. */
  retryDelays: readonly number[];
  /** Receives what failed for the last time. */
  report: (text: string) => void;
};

/** Events that are sent at once. */
const AT_ONCE = 8;
/** Milliseconds after which an event is sent again whose sender has not said what became of it. */
const LEASE_MS = 60_000;
/** Longest attempt, in milliseconds. */
const ATTEMPT_MS = 15_000;
/** How long ended ones are kept. */
const KEPT_MS = 30 * DAY_MS;

/** The job that sends the events of proposed changes to webhooks, each at least once. */
export function changeDeliveriesJob(app: ChangesApp, { outgoing, retryDelays, report }: Sending): Job {
  const { proposals } = app.store;
  const send = async (delivery: ChangeDelivery): Promise<void> => {
    const { id, body, url, secret, attempts } = delivery;
    const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: string; data: unknown };
    const webhook = { url, id, type, secrets: [secret], data: JSON.stringify(data), createdAt: timestamp };
    const attempt = await (
      await outgoing()
    )
      .sendWebhook(webhook, AbortSignal.timeout(ATTEMPT_MS))
      .catch(timedOut);
    const now = app.now();
    const delay = attempt.outcome === "retry" ? retryDelays[attempts - 1] : undefined;
    const isEnded = attempt.outcome === "delivered" || delay === undefined;
    const dueAt = now + Math.max(delay ?? 0, attempt.retryAfter ?? 0) * 1000;
    await proposals.settleDelivery({ id, dueAt, endedAt: isEnded ? now : null, error: attempt.error });
    if (isEnded && attempt.outcome !== "delivered")
      report(`the event ${type} was not delivered: ${attempt.error ?? "no answer"}`);
  };
  return {
    name: "change deliveries",
    every: 60_000,
    next: () => proposals.nextDelivery(),
    async run() {
      for (;;) {
        const now = app.now();
        const due = await proposals.claimDeliveries(now, now + LEASE_MS, AT_ONCE);
        await Promise.all(due.map(send));
        if (due.length < AT_ONCE) break;
      }
      await proposals.clearDeliveries(app.now() - KEPT_MS);
    },
  };
}

/** The attempt of a webhook that has not answered in time. Any other error is a bug. */
function timedOut(error: unknown): Attempt {
  if (!(error instanceof DOMException && error.name === "TimeoutError")) throw error;
  return {
    outcome: "retry",
    code: null,
    error: "it did not answer in time",
    retryAfter: null,
    isTargetDown: true,
  };
}
