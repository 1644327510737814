import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { AppError } from "../../errors.ts";
import { noSuchFlag, viewFlag } from "../../flags.ts";
import { flagPatchSchema, flagSchema, flagSlug } from "../../schemas/flags.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, route } from "./contract.ts";

const tag = "flags";
const ALL = "/projects/:project/environments/:environment/flags";
const ONE = `${ALL}/:flag` as const;

const setFlagSchema = z.extend(flagSchema, { result: z.enum(["created", "updated", "unchanged"]) });

export function flagRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      ALL,
      route({
        tag,
        summary: "List the flags of an environment",
        scope: "flags:read",
        schema: z.object({ flags: z.array(flagSchema) }),
      }),
      async (c) => {
        const { project, environment } = c.req.param();
        const flags = await app.store.flags.list(project, environment);
        return c.json({ flags: flags.map((flag) => viewFlag(flag, app.now())) });
      },
    )
    .get(
      ONE,
      route({ tag, summary: "Get a flag in an environment", scope: "flags:read", schema: flagSchema }),
      async (c) => {
        const place = c.req.param();
        const record = await app.store.flags.find(place);
        if (!record) throw noSuchFlag(place.flag);
        return c.json(viewFlag(record, app.now()));
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
        const slug = flagSlug.safeParse(place.flag);
        if (!slug.success) throw new AppError("invalid", slug.error.issues[0]!.message);
        const { record, result } = await app.store.flags.set(place, c.req.valid("json"), app.now());
        return c.json({ ...viewFlag(record, app.now()), result });
      },
    )
    .delete(
      "/projects/:project/flags/:flag",
      route({ tag, summary: "Delete a flag from every environment", scope: "flags:write", status: 204 }),
      async (c) => {
        await app.store.flags.delete(c.req.param("project"), c.req.param("flag"));
        return c.body(null, 204);
      },
    );
}
