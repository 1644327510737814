import { Hono } from "hono/quick";
import { requireScope } from "../../access/token.ts";
import type { App } from "../../app.ts";
import { promotionOrderSchema, promotionSchema } from "../../flags/promotion-schema.ts";
import { type AdminEnv, authorOf, requireUnlocked } from "../auth.ts";
import { jsonBody, route } from "./contract.ts";

export function promoteRoutes(app: App) {
  return new Hono<AdminEnv>().post(
    "/projects/:project/environments/:environment/promote",
    route({
      tag: "flags",
      summary: "Copy the values of flags from another environment",
      scope: "flags:write",
      schema: promotionSchema,
      lock: "itself",
    }),
    jsonBody(promotionOrderSchema),
    async (c) => {
      const { project, environment: to } = c.req.param();
      const { from, flags = null, segments = false, dryRun = false } = c.req.valid("json");
      requireScope(c.get("caller"), "flags:read", { project, environment: from });
      if (!dryRun) await requireUnlocked(c, { project, environment: to });
      const by = dryRun ? null : authorOf(c, app);
      return c.json(await app.store.flags.promote(project, { from, to, flags, segments }, by));
    },
  );
}
