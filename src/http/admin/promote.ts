import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { promotionOrderSchema, promotionSchema } from "../../flags/promotion-schema.ts";
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
      return c.json(await promoteFlags(app, c.get("caller"), project, order, dryRun));
    },
  );
}
