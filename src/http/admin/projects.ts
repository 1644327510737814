import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { newProjectSchema, projectSchema } from "../../projects/project-schema.ts";
import { createProject, deleteProject, getProject } from "../../projects/projects.ts";
import type { AdminEnv } from "../auth.ts";
import { created, createdResult, jsonBody, query, route } from "./contract.ts";
import { listQuery, nextOf, nextSchema } from "./pages.ts";

const tag = "projects";

export function projectRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/projects",
      route({
        tag,
        summary: "List projects",
        scope: "flags:read",
        schema: z.object({ projects: z.array(projectSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const page = await app.store.projects.page(c.req.valid("query"));
        return c.json({ projects: page.items, next: nextOf(page, ({ slug }) => slug) });
      },
    )
    .post(
      "/projects",
      route({
        tag,
        summary: "Create a project",
        scope: "admin",
        status: 201,
        schema: z.extend(projectSchema, createdResult),
      }),
      jsonBody(newProjectSchema),
      async (c) => c.json(created(await createProject(app, c.get("caller"), c.req.valid("json"))), 201),
    )
    .get(
      "/projects/:project",
      route({ tag, summary: "Get a project", scope: "flags:read", schema: projectSchema }),
      async (c) => c.json(await getProject(app, c.req.param("project"))),
    )
    .delete(
      "/projects/:project",
      route({ tag, summary: "Delete a project, its environments and flags", scope: "admin", status: 204 }),
      async (c) => {
        await deleteProject(app, c.get("caller"), c.req.param("project"));
        return c.body(null, 204);
      },
    );
}
