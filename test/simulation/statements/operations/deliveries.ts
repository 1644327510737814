import { NOW } from "../../../support/records/records.ts";
import { LATER } from "../shop.ts";
import type { Call } from "./call.ts";

/** How often something is sent. */
const PACE = { hash: "ab".repeat(32), most: 2, within: 9000, apart: 1000, waits: true } as const;

export const DELIVERIES = {
  claim: ({ deliveries }, { turn }, { name }) => deliveries.turn({ ...turn, holder: name }),
  "settle and claim": ({ deliveries }, { turn, deliveries: ids }) =>
    deliveries.turn({
      ...turn,
      settled: ids.map((id) => ({
        id,
        status: "delivered" as const,
        attempts: 1,
        dueAt: NOW + 5000,
        code: 200,
        error: null,
        attempt: { at: NOW, duration: 1 },
      })),
    }),
  "fail and renew": ({ deliveries }, { turn, deliveries: ids }) =>
    deliveries.turn({
      ...turn,
      renewed: ids,
      leaseUntil: NOW + 9000,
      settled: [{ id: ids[0]!, status: "failed", attempts: 9, dueAt: NOW, code: 500, error: "no" }],
    }),
  "claim what has ended": ({ deliveries }, { turn }, { name }) =>
    deliveries.turn({
      ...turn,
      holder: name,
      now: NOW + 2000,
      databaseNow: NOW + 2000,
      leaseUntil: NOW + 5000,
      limit: 9,
    }),
  release: ({ deliveries }) => deliveries.release("s1", NOW),
  "cancel targetless": ({ deliveries }) => deliveries.cancelTargetless(NOW, 10),
  retry: ({ deliveries }, { deliveries: ids }) => deliveries.retry(ids.toReversed(), NOW),
  "retry failed": ({ deliveries }) => deliveries.retryFailed({ formKeys: null, projects: null }, NOW, 10),
  "clear ended": ({ deliveries }) => deliveries.clearEnded(NOW + 9000, NOW + 9999, 10),
  "claim an alert": ({ deliveries }, { target }) => deliveries.claimAlert(target.id, NOW, NOW + 1000),
  admit: ({ deliveries }) => deliveries.admit(PACE, NOW),
  "give back": ({ deliveries }) => deliveries.giveBack(PACE, NOW),
  "hold a mailbox": ({ deliveries }, { deliveries: ids }, { name }) =>
    deliveries.holdReply(PACE.hash, ids[name === "B" ? 1 : 0]!, NOW, LATER),
  "release a mailbox": ({ deliveries }, { deliveries: ids }) => deliveries.releaseReply(PACE.hash, ids[0]!),
  "explain mail": ({ deliveries }) => deliveries.explainMail(0, LATER, 10),
  "claim events": ({ proposals }) => proposals.claimDeliveries(NOW, NOW + 1000, 10),
  "settle an event": ({ proposals }, { event }, { name }) =>
    proposals.settleDelivery({ id: event, dueAt: NOW, endedAt: NOW, error: name }),
  "clear events": ({ proposals }) => proposals.clearDeliveries(NOW + 1),
} satisfies Record<string, Call>;
