import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { rollbackFlag } from "../../flags/flags.ts";
import { rollbackSchema } from "../../flags/rollback-schema.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, revisionOf, route, etagHeader } from "./contract.ts";
import { viewDetail } from "../../flags/flag.ts";
import { setFlagSchema } from "./flags.ts";

export function rollbackRoutes(app: App) {
  return new Hono<AdminEnv>().post(
    "/projects/:project/environments/:environment/flags/:flag/rollback",
    route({
      tag: "history",
      summary: "Set a flag in an environment to what it was after a revision, or before its newest change",
      scope: "flags:write",
      schema: setFlagSchema,
    }),
    jsonBody(rollbackSchema),
    async (c) => {
      const { to = "before" } = c.req.valid("json");
      const point = to === "before" ? { before: null } : to;
      const expected = revisionOf(c.req.header("if-match"));
      const set = await rollbackFlag(app, c.get("caller"), c.req.param(), point, expected);
      return c.json(
        { ...viewDetail(set.record, app.now()), result: set.result },
        200,
        etagHeader(set.record),
      );
    },
  );
}
