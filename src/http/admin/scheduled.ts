import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { scheduleChange, viewScheduled } from "../../schedule.ts";
import { newScheduledSchema, scheduledSchema } from "../../schemas/schedule.ts";
import { authorOf, type AdminEnv } from "../auth.ts";
import { jsonBody, query, route } from "./contract.ts";
import { checkFlagRules } from "./rules.ts";

const tag = "scheduled changes";

export function scheduledRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/projects/:project/scheduled",
      route({
        tag,
        summary: "List the scheduled changes of a project, the next first",
        scope: "flags:read",
        place: "query",
        schema: z.object({ scheduled: z.array(scheduledSchema) }),
      }),
      query(z.strictObject({ environment: z.optional(z.string()) })),
      async (c) => {
        const { environment = null } = c.req.valid("query");
        const scheduled = await app.store.scheduled.list(c.req.param("project"), environment);
        return c.json({ scheduled: scheduled.map(viewScheduled) });
      },
    )
    .post(
      "/projects/:project/environments/:environment/flags/:flag/scheduled",
      route({
        tag,
        summary: "Schedule a change of a flag in an environment",
        scope: "flags:write",
        status: 201,
        schema: scheduledSchema,
      }),
      jsonBody(newScheduledSchema),
      async (c) => {
        const place = c.req.param();
        const { at, patch } = c.req.valid("json");
        await checkFlagRules(app, place, patch);
        const { who } = authorOf(c, app);
        const scheduled = await scheduleChange(app, place, { patch, at: Date.parse(at), who });
        return c.json(viewScheduled(scheduled), 201);
      },
    )
    .delete(
      "/projects/:project/environments/:environment/scheduled/:scheduled",
      route({ tag, summary: "Cancel a scheduled change", scope: "flags:write", status: 204 }),
      async (c) => {
        const { project, environment, scheduled } = c.req.param();
        await app.store.scheduled.delete(project, environment, scheduled);
        return c.body(null, 204);
      },
    );
}
