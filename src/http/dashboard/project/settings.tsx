import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { displayName } from "../../../base/slug-schema.ts";
import { applyDocument } from "../../../documents/apply.ts";
import { createEnvironment } from "../../../flags/environments.ts";
import { COLORS } from "../../../projects/color.ts";
import { newEnvironmentSchema } from "../../../projects/environment-schema.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getEnvironment, setEnvironment } from "../../../projects/environments.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf, textOrNull } from "../fields.ts";
import { projectPath } from "../parts/project-tabs.tsx";
import type { Dashboard } from "../routes.ts";
import { environmentPath } from "../paths.ts";
import { type Settings, settingsPage } from "./settings-page.tsx";

/** Environments on one page. */
const PAGE = 25;

export function settingsRoutes({ app, page, action }: Dashboard) {
  const show = async (c: DashboardContext, typed: Pick<Settings, "name" | "draft"> = {}) => {
    const project = await getProject(app, c.req.param("project")!);
    const after = c.req.query("after") ?? "";
    const rest = project.environments.filter(({ slug }) => slug > after);
    const environments: Settings["environments"] = [];
    for (const environment of rest.slice(0, PAGE))
      environments.push({ environment, readAt: await lastRead(app, project.slug, environment.slug) });
    return settingsPage({ project, environments, after, more: rest.length > PAGE, ...typed });
  };

  return new Hono<DashboardEnv>()
    .get(
      "/projects/:project/settings",
      page("flags:read", (c) => show(c)),
    )
    .post(
      "/projects/:project/settings",
      action("admin", async (c, fields) => {
        const { slug } = await getProject(app, c.req.param("project")!);
        const name = textOf(fields, "name").trim();
        const { success, error } = z.safeParse(displayName, name);
        if (!success) {
          const fault = sentence(error.issues[0]!.message);
          return { ...(await show(c, { name: { value: name, fault } })), status: 400 };
        }
        const document = { projects: { [slug]: { name } } };
        await applyDocument(app, c.get("caller"), document, { prune: false, confirmed: false });
        return { to: `${projectPath(slug)}/settings`, text: `The project is called ${name}.` };
      }),
    )
    .post(
      "/projects/:project/environments",
      action("admin", async (c, fields) => {
        const { slug: project } = await getProject(app, c.req.param("project")!);
        const draft = draftIn(fields);
        const again = async (faults: Record<string, string>, status: 400 | 404 | 409) => ({
          ...(await show(c, { draft: { ...draft, faults } })),
          status,
        });
        const { slug, name, from, color } = draft;
        const input = { slug, name: name || undefined, from: from || undefined, color: colorOf(color) };
        const checked = z.safeParse(newEnvironmentSchema, input);
        if (!checked.success) {
          const [{ path, message }] = checked.error.issues as [z.core.$ZodIssue];
          return again({ [String(path[0])]: sentence(message) }, 400);
        }
        try {
          await createEnvironment(app, c.get("caller"), project, checked.data);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          if (error.reason === "environment-exists") return again({ slug: sentence(error.message) }, 409);
          if (error.reason === "environment-not-found") return again({ from: sentence(error.message) }, 404);
          throw error;
        }
        return { to: `${projectPath(project)}/settings`, text: `The environment ${slug} is created.` };
      }),
    )
    .post(
      "/projects/:project/environments/:environment/settings",
      action("admin", async (c, fields) => {
        const project = c.req.param("project")!;
        const before = await getEnvironment(app, project, c.req.param("environment")!);
        const patch = patchIn(fields);
        const { environment } = await setEnvironment(app, c.get("caller"), project, before.slug, patch);
        return {
          to: `${projectPath(project)}/settings`,
          text: describe(environment, patch),
          undo: {
            to: `${environmentPath(project, before.slug)}/settings`,
            values:
              patch.locked === undefined ? { color: before.color ?? "" } : { locked: String(before.locked) },
          },
        };
      }),
    );
}

/** When a flag of an environment was last read, in milliseconds since 1970; null for never. */
export async function lastRead({ store }: App, project: string, environment: string): Promise<number | null> {
  let last: number | null = null;
  for (const at of (await store.flags.reads(project, environment)).values())
    if (last === null || at > last) last = at;
  return last;
}

function draftIn(fields: Fields) {
  const [slug, name, from, color] = ["slug", "name", "from", "color"].map(
    (each) => textOrNull(fields, each) ?? "",
  );
  return { slug: slug!, name: name!, from: from!, color: color! };
}

/** Throws `invalid`. */
function colorOf(text: string): Environment["color"] {
  const color = COLORS.find((each) => each === text);
  if (text !== "" && color === undefined)
    throw new AppError("invalid", `a color is one of ${COLORS.join(", ")}`);
  return color ?? null;
}

/** Throws `invalid`. */
function patchIn(fields: Fields): { locked?: boolean; color?: Environment["color"] } {
  if (fields.has("color")) return { color: colorOf(textOf(fields, "color")) };
  const locked = textOf(fields, "locked");
  if (locked !== "true" && locked !== "false") throw new AppError("invalid", "locked is true or false");
  return { locked: locked === "true" };
}

function describe({ slug, color, locked }: Environment, patch: { locked?: boolean }): string {
  if (patch.locked === undefined) return `The color of ${slug} is ${color ?? "gray"}.`;
  return locked
    ? `${slug} is locked: its name confirms each change from now on.`
    : `${slug} is not locked any more.`;
}
