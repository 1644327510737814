import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { deliveryDetailsSchema, deliverySchema } from "../../delivery/delivery-schema.ts";
import { idOf } from "../../base/slug-schema.ts";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import { getDelivery, listDeliveries, retryDeliveries } from "../../forms/deliveries.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, route } from "./contract.ts";
import { limitOf, nextSchema } from "../../operations/schema/shared-schema.ts";

const tag = "deliveries";

const status = z.enum(DELIVERY_STATUSES, `status is one of ${DELIVERY_STATUSES.join(", ")}`);

const pageQuery = z.strictObject({
  form: z.optional(z.string()),
  submission: z.optional(idOf("submission is the id of a submission")),
  status: z.optional(status),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  before: z.optional(idOf("before is the id of a delivery")),
});

const retrySchema = z
  .strictObject({
    ids: z.optional(
      z.array(idOf("ids are those of deliveries")).check(z.minLength(1), z.maxLength(MAX_PAGE)),
    ),
    /** All that have failed, instead of ids. */
    failed: z.optional(z.literal(true)),
    /** With `failed`: only those of a form. */
    form: z.optional(z.string()),
  })
  .check(
    z.refine(
      ({ ids, failed, form }) => (ids === undefined) === (failed ?? false) && (failed || form === undefined),
      "a retry names deliveries in ids, or has failed: true, and may then name a form",
    ),
  );

export function deliveryRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/deliveries",
      route({
        tag,
        summary: "List deliveries, newest first",
        scope: "forms:read",
        schema: z.object({ deliveries: z.array(deliverySchema), next: nextSchema }),
      }),
      query(pageQuery),
      async (c) => {
        const { form = null, submission = null, status = null, before = null, limit } = c.req.valid("query");
        const { items, next } = await listDeliveries(app, { form, submission, status, before, limit });
        return c.json({ deliveries: items, next });
      },
    )
    .get(
      "/deliveries/:delivery",
      route({
        tag,
        summary: "Get a delivery with its attempts",
        scope: "forms:read",
        schema: deliveryDetailsSchema,
      }),
      async (c) => c.json(await getDelivery(app, c.req.param("delivery"))),
    )
    .post(
      "/deliveries/retry",
      route({
        tag,
        summary: "Send deliveries again, or now instead of at their next attempt",
        scope: "forms:write",
        schema: z.object({ queued: z.int() }),
      }),
      jsonBody(retrySchema),
      async (c) => {
        const { ids, form } = c.req.valid("json");
        const retry = ids === undefined ? { failed: true as const, form } : { ids };
        return c.json({ queued: await retryDeliveries(app, c.get("caller"), retry) });
      },
    );
}
