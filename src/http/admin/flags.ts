import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { anyObject } from "../../base/json-schema.ts";
import { flagDetailSchema, flagPatchSchema } from "../../flags/flag-schema.ts";
import { noSuchFlag, viewDetail } from "../../flags/flag.ts";
import { deleteFlag, setFlag } from "../../flags/flags.ts";
import { forSchema, scheduledSchema } from "../../flags/schedule/schedule-schema.ts";
import { viewScheduled } from "../../flags/schedule/scheduled-change.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, revisionOf, route, etagHeader } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { listQuery, nextSchema } from "../../operations/schema/shared-schema.ts";
import { listAnswer } from "./pages.ts";

const tag = "flags";
const ALL = "/projects/:project/environments/:environment/flags";
const ONE = `${ALL}/:flag` as const;

export const setFlagSchema = z.extend(flagDetailSchema, {
  result: z.enum(["created", "updated", "unchanged"]),
});

const setForSchema = z.extend(setFlagSchema, {
  /** The change back; null where the flag is already as the patch makes it. */
  scheduled: z.nullable(scheduledSchema),
});

const context = anyObject("the context is a JSON object");
const contextSchema = z
  .strictObject({
    context: z.optional(context),
    /** Evaluates an unsaved change for each of these, together with `patch`. */
    contexts: z.optional(z.array(context)),
    patch: z.optional(flagPatchSchema),
  })
  .check(
    z.refine(
      ({ context, contexts, patch }) =>
        (contexts === undefined) === (patch === undefined) &&
        (contexts === undefined || context === undefined),
      "send a context, or contexts and a patch",
    ),
  );
const outcomeSchema = z.object({
  value: z.optional(z.any()),
  variant: z.optional(z.string()),
  reason: z.optional(z.string()),
  /** Present instead of `reason` where the rule cannot be evaluated. */
  errorCode: z.optional(z.string()),
  errorDetails: z.optional(z.string()),
});
const evaluationSchema = z.extend(outcomeSchema, {
  key: z.string(),
  /** With `contexts`, in their order: what the flag is now, and what it would be after the change. */
  results: z.optional(z.array(z.object({ context, now: outcomeSchema, after: outcomeSchema }))),
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
        const next = nextOf(page, ({ slug }) => slug);
        return listAnswer("flags", page.items, { next }, (flag) => viewDetail(flag, app.now()));
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
      `${ONE}/for`,
      route({
        tag,
        summary: "Change a flag in an environment, and schedule the change back",
        scope: "flags:write",
        schema: setForSchema,
      }),
      jsonBody(forSchema),
      async (c) => {
        const place = c.req.param();
        const { patch, until } = c.req.valid("json");
        const expected = revisionOf(c.req.header("if-match"));
        const { setFlagFor } = await import("../../flags/schedule/schedule.ts");
        const set = await setFlagFor(app, c.get("caller"), place, patch, Date.parse(until), expected);
        const { record, result } = set;
        const scheduled = set.scheduled && viewScheduled(set.scheduled);
        return c.json({ ...viewDetail(record, app.now()), result, scheduled }, 200, etagHeader(record));
      },
    )
    .post(
      `${ONE}/evaluate`,
      route({
        tag,
        summary: "Evaluate a flag for a context, or an unsaved change of it for several",
        scope: "flags:read",
        schema: evaluationSchema,
      }),
      jsonBody(contextSchema, { rounded: true }),
      async (c) => {
        const { project, environment, flag: key } = c.req.param();
        const { evaluateStored, tryChange } = await import("../../flags/reads/evaluations.ts");
        const { context = {}, contexts, patch } = c.req.valid("json");
        const [caller, place] = [c.get("caller"), { project, environment, flag: key }];
        if (contexts && patch)
          return c.json({ key, results: await tryChange(app, caller, place, patch, contexts) });
        return c.json({ key, ...(await evaluateStored(app, caller, place, context)) });
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
