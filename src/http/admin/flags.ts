import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { flagDetailSchema, flagPatchSchema } from "../../flags/flag-schema.ts";
import { noSuchFlag, viewDetail } from "../../flags/flag.ts";
import { deleteFlag, setFlag } from "../../flags/flags.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, revisionOf, route, etagHeader } from "./contract.ts";
import { listQuery, nextOf, nextSchema } from "./pages.ts";

const tag = "flags";
const ALL = "/projects/:project/environments/:environment/flags";
const ONE = `${ALL}/:flag` as const;

export const setFlagSchema = z.extend(flagDetailSchema, {
  result: z.enum(["created", "updated", "unchanged"]),
});

const contextSchema = z.strictObject({
  context: z.optional(z.record(z.string(), z.any(), "the context is a JSON object")),
});
const evaluationSchema = z.object({
  key: z.string(),
  value: z.optional(z.any()),
  variant: z.optional(z.string()),
  reason: z.optional(z.string()),
  /** Present instead of `reason` where the rule cannot be evaluated. */
  errorCode: z.optional(z.string()),
  errorDetails: z.optional(z.string()),
});

export function flagRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      ALL,
      route({
        tag,
        summary: "List the flags of an environment",
        scope: "flags:read",
        schema: z.object({ flags: z.array(flagDetailSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const { project, environment } = c.req.param();
        const page = await app.store.flags.page(project, environment, c.req.valid("query"));
        const flags = page.items.map((flag) => viewDetail(flag, app.now()));
        return c.json({ flags, next: nextOf(page, ({ slug }) => slug) });
      },
    )
    .get(
      ONE,
      route({ tag, summary: "Get a flag in an environment", scope: "flags:read", schema: flagDetailSchema }),
      async (c) => {
        const place = c.req.param();
        const record = await app.store.flags.find(place);
        if (!record) throw noSuchFlag(place.flag);
        return c.json(viewDetail(record, app.now()), 200, etagHeader(record));
      },
    )
    .patch(
      ONE,
      route({
        tag,
        summary: "Create or change a flag in an environment",
        scope: "flags:write",
        schema: setFlagSchema,
      }),
      jsonBody(flagPatchSchema),
      async (c) => {
        const place = c.req.param();
        const expected = revisionOf(c.req.header("if-match"));
        const { record, result } = await setFlag(app, c.get("caller"), place, c.req.valid("json"), expected);
        return c.json({ ...viewDetail(record, app.now()), result }, 200, etagHeader(record));
      },
    )
    .post(
      `${ONE}/evaluate`,
      route({
        tag,
        summary: "Evaluate a flag for a context",
        scope: "flags:read",
        schema: evaluationSchema,
      }),
      jsonBody(contextSchema, { rounded: true }),
      async (c) => {
        const { project, environment, flag } = c.req.param();
        const { evaluateOne } = await import("./evaluate.ts");
        const { context = {} } = c.req.valid("json");
        return c.json({ key: flag, ...(await evaluateOne(app, { project, environment, flag }, context)) });
      },
    )
    .delete(
      "/projects/:project/flags/:flag",
      route({ tag, summary: "Delete a flag from every environment", scope: "flags:write", status: 204 }),
      async (c) => {
        const { project, flag } = c.req.param();
        const expected = revisionOf(c.req.header("if-match"));
        await deleteFlag(app, c.get("caller"), { project, flag }, expected);
        return c.body(null, 204);
      },
    );
}
