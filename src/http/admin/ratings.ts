import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { momentOf } from "../../base/slug-schema.ts";
import { ratingsSchema } from "../../flags/previews/feedback-schema.ts";
import { countRatings } from "../../flags/previews/feedbacks.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";

const ratingsQuery = z.strictObject({
  environment: z.optional(z.string()),
  since: z.optional(momentOf("since")),
});

export function ratingRoutes(app: App) {
  return new Hono<AdminEnv>().get(
    "/projects/:project/flags/:flag/ratings",
    route({
      tag: "flags",
      summary: "Count the feedback about a preview by rating and mood",
      scope: "flags:read",
      place: "query",
      schema: ratingsSchema,
    }),
    query(ratingsQuery),
    async (c) => {
      const { project, flag } = c.req.param();
      const { environment = null, since } = c.req.valid("query");
      const from = since === undefined ? null : Date.parse(since);
      return c.json(await countRatings(app, { project, flag, environment }, from));
    },
  );
}
