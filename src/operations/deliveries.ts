import { DEFAULT_PAGE } from "../base/pages.ts";
import { hasScope } from "../access/rights.ts";
import { getDelivery, listDeliveries, mayUseNotices, retryDeliveries } from "../forms/deliveries.ts";
import { type Delivery, type DeliveryKind, isMail } from "../delivery/delivery.ts";
import { WITHOUT_MAIL } from "../delivery/delivery-status.ts";
import type { Deployment } from "./deployment.ts";
import { selectionIn } from "./form-query.ts";
import { noun } from "./operation.ts";

/** Parameters that do not select deliveries of submissions. */
const OF_NOTICES = new Set(["status", "limit", "before"]);

/** A delivery with why it waits, before the server that would send it has recorded that. */
async function explained<T extends Delivery>({ sendsMail }: Deployment, delivery: T): Promise<T> {
  const { status, kind, error } = delivery;
  if (status !== "queued" || error !== null || !isMail(kind as DeliveryKind) || (await sendsMail()) !== false)
    return delivery;
  return { ...delivery, nextAt: null, error: WITHOUT_MAIL };
}

export const deliveries = noun("deliveries", () => import("./schema/deliveries-schema.ts"), {
  list: {
    method: "GET",
    path: "/deliveries",
    tool: "deliveries_list",
    summary: "List deliveries, newest first",
    scope: "forms:read",
    other: "flags:read",
    admits: async ({ caller, query: { project, ...query } }) =>
      project !== undefined &&
      hasScope(caller, "flags:read", { project }) &&
      Object.keys(query).every((name) => OF_NOTICES.has(name)),
    place: "seen",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, deployment, caller, query }) => {
      const { submission = null, status = null, before = null, limit } = query;
      const selected = selectionIn(query);
      const page = { ...selected, submission, status, before, limit };
      const { items, next } = await listDeliveries(app, caller, page);
      return { deliveries: await Promise.all(items.map((each) => explained(deployment, each))), next };
    },
  },
  get: {
    method: "GET",
    path: "/deliveries/:delivery",
    summary: "Get a delivery with its attempts",
    scope: "forms:read",
    other: "flags:read",
    admits: ({ app, caller, names }) =>
      mayUseNotices(app, caller, "flags:read", { ids: [names["delivery"]!] }),
    place: "form",
    run: async ({ app, deployment, caller, names }) =>
      explained(deployment, await getDelivery(app, caller, names.delivery)),
  },
  retry: {
    method: "POST",
    path: "/deliveries/retry",
    summary: "Send deliveries again, or now instead of at the time of their next attempt",
    scope: "forms:write",
    other: "flags:write",
    admits: ({ app, caller, body }) => mayUseNotices(app, caller, "flags:write", body),
    place: "seen",
    run: async ({ app, caller, body: { ids, ...body } }) => {
      const retry = ids === undefined ? { failed: true as const, ...selectionIn(body) } : { ids };
      return { queued: await retryDeliveries(app, caller, retry) };
    },
  },
});
