import * as z from "zod/mini";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { idOf } from "../../base/slug-schema.ts";
import { deliveryDetailsSchema, deliverySchema } from "../../delivery/delivery-schema.ts";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import { limitOf, nextSchema } from "./shared-schema.ts";

const status = z.enum(DELIVERY_STATUSES, `status is one of ${DELIVERY_STATUSES.join(", ")}`);

export const list = {
  query: z.strictObject({
    form: z.optional(z.string()),
    project: z.optional(z.string()),
    submission: z.optional(idOf("submission is the id of a submission")),
    status: z.optional(status),
    limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
    before: z.optional(idOf("before is the id of a delivery")),
  }),
  output: z.object({ deliveries: z.array(deliverySchema), next: nextSchema }),
};

export const get = { output: deliveryDetailsSchema };

export const retry = {
  body: z
    .strictObject({
      ids: z.optional(
        z.array(idOf("ids are those of deliveries")).check(z.minLength(1), z.maxLength(MAX_PAGE)),
      ),
      /** All failed deliveries, instead of ids. */
      failed: z.optional(z.literal(true)),
      /** With `failed`: only those of a form, or of a project. */
      form: z.optional(z.string()),
      project: z.optional(z.string()),
    })
    .check(
      z.refine(
        ({ ids, failed, form, project }) =>
          (ids === undefined) === (failed ?? false) && (failed || (form ?? project) === undefined),
        "a retry names deliveries in ids, or has failed: true, and may then name a form and a project",
      ),
    ),
  output: z.object({ queued: z.int() }),
};
