import { clock } from "../../base/clock.ts";
import { DAY_MS } from "../../base/days.ts";
import type { Job } from "../../base/jobs.ts";
import { type Attempt, unanswered } from "../../delivery/attempt.ts";
import type { Outgoing, WebhookDelivery } from "../../delivery/outgoing.ts";
import type { ProposalsApp } from "../store.ts";
import type { ProposalDelivery } from "./proposal-change.ts";

type Sending = {
  outgoing: () => Promise<Outgoing>;
  /** Seconds after each failed attempt until the next one. */
  retryDelays: readonly number[];
  /** The address of the page of a proposal; null if it is not known. */
  pageOf: (project: string, change: string) => string | null;
  /** Receives what failed for the last time. */
  report: (text: string) => void;
};

type ProposalEvent = { type: string; timestamp: string; data: { change: { project: string; id: string } } };

/** Events that are sent at once. */
const AT_ONCE = 8;
/** Milliseconds after which an event is sent again whose sender has not said what became of it. */
const LEASE_MS = 60_000;
/** Longest attempt, in milliseconds. */
const ATTEMPT_MS = 15_000;
/** Milliseconds between two looks for events of other processes, and between two removals of ended ones. */
const POLL_MS = 2000;
const HOUR_MS = 3_600_000;
/** How long ended ones are kept. */
const KEPT_MS = 30 * DAY_MS;

/** The job that sends the events of proposals to webhooks, each at least once. */
export function proposalDeliveriesJob(
  app: ProposalsApp,
  { outgoing, retryDelays, pageOf, report }: Sending,
): Job {
  const { proposals } = app.store;
  const send = async (delivery: ProposalDelivery): Promise<void> => {
    const { id, body, url, secret, attempts } = delivery;
    const { type, timestamp, data } = JSON.parse(body) as ProposalEvent;
    const page = pageOf(data.change.project, data.change.id);
    const linked = JSON.stringify(page === null ? data : { ...data, url: page });
    const webhook = { url, id, type, secrets: [secret], data: linked, createdAt: timestamp };
    const attempt = await tryOnce(await outgoing(), webhook);
    const now = app.now();
    const delay = attempt.outcome === "retry" ? retryDelays[attempts - 1] : undefined;
    const isEnded = attempt.outcome === "delivered" || delay === undefined;
    const dueAt = now + Math.max(delay ?? 0, attempt.retryAfter ?? 0) * 1000;
    await proposals.settleDelivery({ id, dueAt, endedAt: isEnded ? now : null, error: attempt.error });
    if (isEnded && attempt.outcome !== "delivered")
      report(`the event ${type} was not delivered: ${attempt.error ?? "no answer"}`);
  };
  let clearsAt = 0;
  return {
    name: "change deliveries",
    // Another process, such as a command, may have proposed the change.
    every: POLL_MS,
    next: () => proposals.nextDelivery(),
    async run() {
      const dueAt = await proposals.nextDelivery();
      if (app.now() < Math.min(dueAt ?? Number.POSITIVE_INFINITY, clearsAt)) return;
      clearsAt = app.now() + HOUR_MS;
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

/** Sends a webhook once, for 15 seconds at most. Rejects only for a bug. */
async function tryOnce(outgoing: Outgoing, webhook: WebhookDelivery): Promise<Attempt> {
  const late = new AbortController();
  const timer = clock.after(ATTEMPT_MS, () => late.abort());
  try {
    return await outgoing.sendWebhook(webhook, late.signal);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return unanswered("it did not answer in time", true);
  } finally {
    timer.close();
  }
}

/** The job that closes proposals once they have expired. */
export function expiredProposalsJob(app: ProposalsApp): Job {
  return {
    name: "changes",
    every: 60_000,
    next: () => app.store.proposals.nextExpiry(),
    async run() {
      for (;;) {
        const due = await app.store.proposals.findExpired(app.now());
        if (!due) return;
        const { expireProposal } = await import("./reviews.ts");
        await expireProposal(app, { project: due.project, change: due.id });
      }
    },
  };
}
