import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { staleFlagSchema } from "../../flags/stale-schema.ts";
import { DEFAULT_STALE_DAYS, findStale } from "../../flags/stale.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";

const days = z.coerce.number("days is a number").check(z.int(), z.gte(0), z.lte(36_500));
const staleQuery = z.strictObject({
  days: z._default(days, DEFAULT_STALE_DAYS),
  environment: z.optional(z.string()),
});

export function staleRoutes(app: App) {
  return new Hono<AdminEnv>().get(
    "/projects/:project/stale",
    route({
      tag: "flags",
      summary: "List the flags that look finished",
      scope: "flags:read",
      place: "query",
      schema: z.object({ stale: z.array(staleFlagSchema) }),
    }),
    query(staleQuery),
    async (c) => {
      const { days, environment = null } = c.req.valid("query");
      const stale = await findStale(app, { project: c.req.param("project"), environment, days });
      return c.json({ stale });
    },
  );
}
