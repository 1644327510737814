import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { createEnvironment, getEnvironment } from "../../environments.ts";
import { environmentSchema, newEnvironmentSchema } from "../../schemas/environments.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, route } from "./contract.ts";

const tag = "environments";
const ALL = "/projects/:project/environments";
const ONE = "/projects/:project/environments/:environment";

export function environmentRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      ALL,
      route({
        tag,
        summary: "List the environments of a project",
        scope: "flags:read",
        schema: z.object({ environments: z.array(environmentSchema) }),
      }),
      async (c) => c.json({ environments: await app.store.environments.list(c.req.param("project")) }),
    )
    .post(
      ALL,
      route({
        tag,
        summary: "Create an environment",
        scope: "admin",
        status: 201,
        schema: environmentSchema,
      }),
      jsonBody(newEnvironmentSchema),
      async (c) => c.json(await createEnvironment(app, c.req.param("project"), c.req.valid("json")), 201),
    )
    .get(
      ONE,
      route({ tag, summary: "Get an environment", scope: "flags:read", schema: environmentSchema }),
      async (c) => c.json(await getEnvironment(app, c.req.param("project"), c.req.param("environment"))),
    )
    .delete(
      ONE,
      route({ tag, summary: "Delete an environment and its flag values", scope: "admin", status: 204 }),
      async (c) => {
        await app.store.environments.delete(c.req.param("project"), c.req.param("environment"));
        return c.body(null, 204);
      },
    );
}
