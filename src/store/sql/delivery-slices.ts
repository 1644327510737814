import type { Store } from "../../app.ts";
import { listAttempts } from "./attempts.ts";
import { countDeliveries, findDelivery, pageDeliveries } from "./deliveries.ts";
import { deliveryContent, nextDelivery, readClock } from "./outbox.ts";
import { findTarget, listTargets } from "./targets.ts";
import type { Runner } from "./writes.ts";

/** The slices of what is sent elsewhere. */
export function deliverySlices({ read, write }: Runner): Pick<Store, "targets" | "deliveries"> {
  return {
    targets: {
      list: (formKey) => read(() => listTargets(formKey)),
      find: (id) => read(() => findTarget(id)),
    },
    deliveries: {
      page: (query) => read(() => pageDeliveries(query)),
      find: (id) => read(() => findDelivery(id)),
      attempts: (id) => read(() => listAttempts(id)),
      turn: (turn) => write("takeTurn", [turn]),
      clock: () => read(readClock),
      nextAt: (blocked) => read(() => nextDelivery(blocked)),
      release: (holder, now) => write("releaseLeases", [holder, now]),
      content: (submission) => read(() => deliveryContent(submission)),
      explainMail: (after, now, limit) => write("explainMail", [after, now, limit]),
      cancelTargetless: (removeAt, limit) => write("cancelTargetless", [removeAt, limit]),
      retry: (ids, now) => write("retryDeliveries", [ids, now]),
      retryFailed: (formKey, now, limit) => write("retryFailed", [formKey, now, limit]),
      clearEnded: (now, later, limit) => write("clearEnded", [now, later, limit]),
      claimAlert: (target, now, until) => write("claimAlert", [target, now, until]),
      countQueued: (atMost) => read(() => countDeliveries("queued", atMost)),
      countFailed: (atMost) => read(() => countDeliveries("failed", atMost)),
    },
  };
}
