import { Hono } from "hono/quick";
import { AppError } from "../../../base/errors.ts";
import { setFlag } from "../../../flags/flags.ts";
import { overviewOfFlags } from "../../../flags/overviews.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { textOf } from "../fields.ts";
import { confirmed } from "../parts/confirm.tsx";
import { Diff } from "../parts/diff.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import type { Dashboard } from "../routes.ts";
import { flagPath } from "./paths.ts";
import { MAX_COLUMNS } from "./flag-table.tsx";
import { type NewFlagDraft, projectPage } from "./project-page.tsx";
import { ratesOf } from "./rates.ts";

/** Flags on one page where there are at most four environments: what a page holds is limited by its cells. */
const PAGE = 50;
const CELLS = 200;

export function projectFlagsRoutes({ app, page, action }: Dashboard) {
  const show = async (c: DashboardContext, draft: NewFlagDraft | null = null) => {
    const project = await getProject(app, c.req.param("project")!);
    const search = (c.req.query("q") ?? "").trim().slice(0, 200);
    const after = c.req.query("after") || null;
    const environments = project.environments.slice(0, MAX_COLUMNS);
    const limit = Math.min(PAGE, Math.floor(CELLS / Math.max(1, environments.length)));
    const { items, more } = await overviewOfFlags(app, project.slug, {
      search,
      after: after ?? undefined,
      limit,
    });
    const [first, last] = [items[0]?.slug, items.at(-1)?.slug];
    const rateOf =
      first === undefined
        ? () => 0
        : await ratesOf(app, c.get("caller"), { project: project.slug, environments }, first, last);
    return projectPage({ project, flags: items, rateOf, search, after, next: more ? last! : null, draft });
  };

  return new Hono<DashboardEnv>()
    .get(
      "/projects/:project",
      page("flags:read", (c) => show(c)),
    )
    .post(
      "/projects/:project/flags",
      action("flags:write", async (c, fields) => {
        const { slug: project, environments } = await getProject(app, c.req.param("project")!);
        const flag = textOf(fields, "flag").trim();
        const description = textOf(fields, "description").trim();
        // A new flag is off everywhere, so any environment will do.
        const environment = environments.find(({ locked }) => !locked) ?? environments[0];
        if (!environment) throw new AppError("invalid", "add an environment to the project first");
        const place = { project, environment: environment.slug, flag };
        try {
          const done = await confirmed(
            fields,
            () => setFlag(app, c.get("caller"), place, { description }, 0),
            async () => ({
              title: `Confirm: create ${flag} in ${project}`,
              label: `Create ${flag}`,
              environments: [environment],
              change: <Diff before={{}} after={{ enabled: false, description }} />,
              back: { to: projectPath(project), label: project },
            }),
          );
          return "content" in done
            ? done
            : { to: flagPath(project, flag), text: `The flag ${flag} is created.` };
        } catch (error) {
          if (!(error instanceof AppError) || (error.code !== "invalid" && error.code !== "conflict"))
            throw error;
          const fault =
            error.code === "conflict" ? `There is a flag of this name already.` : sentence(error.message);
          return show(c, { flag, description, why: textOf(fields, "why"), fault });
        }
      }),
    );
}
