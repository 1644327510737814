import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { promotionOrderSchema, promotionSchema } from "../../flags/promotion-schema.ts";
import { fingerprintOf } from "../../flags/promotion.ts";
import { promoteFlags } from "../../flags/promotions.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, route } from "./contract.ts";

export function promoteRoutes(app: App) {
  return new Hono<AdminEnv>().post(
    "/projects/:project/environments/:environment/promote",
    route({
      tag: "flags",
      summary: "Copy the values of flags from another environment",
      scope: "flags:write",
      schema: promotionSchema,
    }),
    jsonBody(promotionOrderSchema),
    async (c) => {
      const { project, environment: to } = c.req.param();
      const { from, flags = null, segments = false, dryRun = false } = c.req.valid("json");
      const order = { from, to, flags, segments };
      const expected = fingerprintIn(c.req.header("if-match"));
      const promotion = await promoteFlags(app, c.get("caller"), project, order, dryRun, expected);
      return c.json(promotion, 200, dryRun ? { ETag: `"${fingerprintOf(promotion)}"` } : {});
    },
  );
}

/** The fingerprint of a dry run that `If-Match` names; null where it names none. Throws `invalid`. */
function fingerprintIn(ifMatch: string | undefined): string | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  const fingerprint = /^"([0-9a-f]{64})"$/.exec(ifMatch.trim())?.[1];
  if (fingerprint === undefined)
    throw new AppError("invalid", "If-Match is the ETag of the answer to a dry run");
  return fingerprint;
}
