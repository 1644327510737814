import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import {
  environmentPatchSchema,
  environmentSchema,
  newEnvironmentSchema,
} from "../../projects/environment-schema.ts";
import { createEnvironment } from "../../flags/environments.ts";
import { deleteEnvironment, getEnvironment, setEnvironment } from "../../projects/environments.ts";
import type { AdminEnv } from "../auth.ts";
import { createdResult } from "../../operations/schema/shared-schema.ts";
import { created } from "../../operations/results.ts";
import { jsonBody, route } from "./contract.ts";

const tag = "environments";
const ALL = "/projects/:project/environments";
const ONE = "/projects/:project/environments/:environment";

const setEnvironmentSchema = z.extend(environmentSchema, { result: z.enum(["updated", "unchanged"]) });

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
        schema: z.extend(environmentSchema, createdResult),
        confirms: false,
      }),
      jsonBody(newEnvironmentSchema),
      async (c) => {
        const project = c.req.param("project");
        return c.json(
          created(await createEnvironment(app, c.get("caller"), project, c.req.valid("json"))),
          201,
        );
      },
    )
    .get(
      ONE,
      route({ tag, summary: "Get an environment", scope: "flags:read", schema: environmentSchema }),
      async (c) => c.json(await getEnvironment(app, c.req.param("project"), c.req.param("environment"))),
    )
    .patch(
      ONE,
      route({
        tag,
        summary: "Lock or unlock an environment, or give it another color",
        scope: "admin",
        schema: setEnvironmentSchema,
        confirms: false,
      }),
      jsonBody(environmentPatchSchema),
      async (c) => {
        const { project, environment: slug } = c.req.param();
        const set = await setEnvironment(app, c.get("caller"), project, slug, c.req.valid("json"));
        return c.json({ ...set.environment, result: set.result });
      },
    )
    .delete(
      ONE,
      route({ tag, summary: "Delete an environment and its flag values", scope: "admin", status: 204 }),
      async (c) => {
        const { project, environment } = c.req.param();
        await deleteEnvironment(app, c.get("caller"), project, environment);
        return c.body(null, 204);
      },
    );
}
