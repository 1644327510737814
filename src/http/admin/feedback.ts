import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { momentOf } from "../../base/slug-schema.ts";
import { feedbackSchema } from "../../flags/previews/feedback-schema.ts";
import { viewFeedback } from "../../flags/previews/feedback.ts";
import { deleteFeedback, deleteFeedbackOf, firstIdSince } from "../../flags/previews/feedbacks.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { limitOf, nextSchema } from "../../operations/schema/shared-schema.ts";

const ALL = "/projects/:project/flags/:flag/feedback";

const placeQuery = z.strictObject({ environment: z.optional(z.string()) });
const listQuery = z.extend(placeQuery, {
  since: z.optional(momentOf("since")),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  before: z.optional(z.string()),
});

const shared = { tag: "flags", place: "query", confirms: false, explains: false } as const;

export function feedbackRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      ALL,
      route({
        ...shared,
        summary: "List the feedback about a preview, newest first",
        scope: "flags:read",
        schema: z.object({ feedback: z.array(feedbackSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const { project, flag } = c.req.param();
        const { environment = null, since, limit, before = null } = c.req.valid("query");
        const from = firstIdSince(since === undefined ? null : Date.parse(since));
        const page = await app.store.feedback.page({ project, flag, environment }, { limit, before, from });
        return c.json({ feedback: page.items.map(viewFeedback), next: nextOf(page, ({ id }) => id) });
      },
    )
    .delete(
      ALL,
      route({
        ...shared,
        summary: "Delete all feedback about a flag",
        scope: "flags:write",
        schema: z.object({ deleted: z.int() }),
      }),
      query(placeQuery),
      async (c) => {
        const { project, flag } = c.req.param();
        const { environment = null } = c.req.valid("query");
        const place = { project, flag, environment };
        return c.json({ deleted: await deleteFeedbackOf(app, c.get("caller"), place) });
      },
    )
    .delete(
      "/projects/:project/feedback/:feedback",
      route({ ...shared, place: "path", summary: "Delete a feedback", scope: "flags:write", status: 204 }),
      async (c) => {
        const { project, feedback: id } = c.req.param();
        await deleteFeedback(app, c.get("caller"), { project, id });
        return c.body(null, 204);
      },
    );
}
