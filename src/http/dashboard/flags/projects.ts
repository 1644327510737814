import { Hono } from "hono/quick";
import * as z from "zod/mini";
import { AppError } from "../../../base/errors.ts";
import { newProjectSchema } from "../../../projects/project-schema.ts";
import { createProject } from "../../../projects/projects.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { textOf, textOrNull } from "../fields.ts";
import { projectPath } from "../parts/project-tabs.tsx";
import type { Dashboard } from "../routes.ts";
import { type NewProjectDraft, projectsPage } from "./projects-page.tsx";

/** Projects on one page. */
const PAGE = 50;

export function projectListRoutes({ app, page, action }: Dashboard) {
  const show = async (c: DashboardContext, draft: NewProjectDraft | null = null) => {
    const after = c.req.query("after") || null;
    const { items, more } = await app.store.projects.page({ limit: PAGE, after: after ?? undefined });
    return projectsPage({ projects: items, after, next: more ? items.at(-1)!.slug : null, draft });
  };

  return new Hono<DashboardEnv>()
    .get(
      "/projects",
      page("flags:read", (c) => show(c)),
    )
    .post(
      "/projects",
      action("admin", async (c, fields) => {
        const typed = {
          slug: textOf(fields, "slug").trim(),
          name: textOf(fields, "name").trim(),
          environments: textOf(fields, "environments").trim(),
        };
        const name = textOrNull(fields, "name");
        const environments = typed.environments.split(/[\s,]+/).filter(Boolean);
        const input = { slug: typed.slug, ...(name === null ? {} : { name }), environments };
        const checked = z.safeParse(newProjectSchema, input);
        const faults: NewProjectDraft["faults"] = {};
        if (!checked.success)
          for (const { path, message } of checked.error.issues)
            faults[path[0] as keyof typeof typed] ??= sentence(message);
        else
          try {
            const { slug } = await createProject(app, c.get("caller"), checked.data);
            return { to: projectPath(slug), text: `The project ${slug} is ready.` };
          } catch (error) {
            if (!(error instanceof AppError) || error.reason !== "project-exists") throw error;
            faults.slug = sentence(error.message);
          }
        return show(c, { ...typed, faults });
      }),
    );
}
