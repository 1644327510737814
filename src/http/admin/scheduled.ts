import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { newScheduledSchema, scheduledSchema } from "../../flags/schedule/schedule-schema.ts";
import { cancelScheduled, scheduleChange } from "../../flags/schedule/schedule.ts";
import { type ScheduledChange, viewScheduled } from "../../flags/schedule/scheduled-change.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, route } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { listQuery, nextSchema } from "../../operations/schema/shared-schema.ts";

const tag = "scheduled changes";

const pageSchema = z.strictObject({ ...listQuery.shape, environment: z.optional(z.string()) });

export function scheduledRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/projects/:project/scheduled",
      route({
        tag,
        summary: "List the scheduled changes of a project, the next first",
        scope: "flags:read",
        place: "query",
        schema: z.object({ scheduled: z.array(scheduledSchema), next: nextSchema }),
      }),
      query(pageSchema),
      async (c) => {
        const { environment = null, limit, after } = c.req.valid("query");
        const page = await app.store.scheduled.page(c.req.param("project"), environment, {
          limit,
          after: after === undefined ? undefined : parseCursor(after),
        });
        return c.json({ scheduled: page.items.map(viewScheduled), next: nextOf(page, cursorOf) });
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
        const planned = { patch, at: Date.parse(at) };
        const scheduled = await scheduleChange(app, c.get("caller"), place, planned);
        return c.json(viewScheduled(scheduled), 201);
      },
    )
    .delete(
      "/projects/:project/environments/:environment/scheduled/:scheduled",
      route({ tag, summary: "Cancel a scheduled change", scope: "flags:write", status: 204 }),
      async (c) => {
        const { scheduled, ...place } = c.req.param();
        await cancelScheduled(app, c.get("caller"), place, scheduled);
        return c.body(null, 204);
      },
    );
}

type Cursor = Pick<ScheduledChange, "at" | "createdAt" | "id">;

/** A cursor stays valid when its change is applied or cancelled. */
function cursorOf({ at, createdAt, id }: Cursor): string {
  return `${at}.${createdAt}.${id}`;
}

/** Throws `invalid` for a text that is not a cursor. */
function parseCursor(cursor: string): Cursor {
  const [, at, createdAt, id] = /^(\d{1,15})\.(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (id === undefined) throw new AppError("invalid", "after is the `next` of a page of this list");
  return { at: Number(at), createdAt: Number(createdAt), id };
}
