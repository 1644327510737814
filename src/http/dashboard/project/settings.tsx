import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { createEnvironment } from "../../../flags/environments.ts";
import { COLORS } from "../../../projects/color.ts";
import { environmentSchema, newEnvironmentSchema } from "../../../projects/environment-schema.ts";
import type { Environment, EnvironmentPatch } from "../../../projects/environment.ts";
import { getEnvironment, setEnvironment } from "../../../projects/environments.ts";
import { getProject, setProject, usageOf } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, oneOf, textOf } from "../fields.ts";
import { type Faults, check, submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { ENVIRONMENT, PROJECT, environmentPath, pathTo } from "../paths.ts";
import { projectPatchIn } from "./project-form.tsx";
import { type Settings, settingsPage } from "./settings-page.tsx";

/** Environments on one page. */
const PAGE = 25;

const SETTINGS = `${PROJECT}/settings` as const;

export function settingsRoutes({ app, get, post }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed: Pick<Settings, "typed" | "draft"> = {}) => {
    const project = await getProject(app, slug);
    const after = c.req.query("after") ?? "";
    const rest = project.environments.filter(({ slug }) => slug > after);
    const environments: Settings["environments"] = [];
    for (const environment of rest.slice(0, PAGE))
      environments.push({ environment, readAt: await lastRead(app, project.slug, environment.slug) });
    const usage = await usageOf(app, c.get("caller"), project.slug);
    return settingsPage({ project, usage, environments, after, more: rest.length > PAGE, ...typed });
  };

  get(SETTINGS, "flags:read", (c, { project }) => show(c, project));
  post(SETTINGS, "admin", async (c, fields, { project: slug }) =>
    submit(
      async () => {
        const { result } = await setProject(app, c.get("caller"), slug, projectPatchIn(fields));
        const text = result === "updated" ? `Saved the settings of ${slug}` : "Nothing was changed";
        return { to: pathTo(SETTINGS, { project: slug }), text };
      },
      (faults) => show(c, slug, { typed: { fields, faults: named(faults) } }),
      { "accent-pale": "accent", invalid: "mailFrom" },
    ),
  );
  post(`${PROJECT}/environments`, "admin", async (c, fields, parameters) => {
    const { slug: project } = await getProject(app, parameters.project);
    const draft = draftIn(fields);
    return submit(
      async () => {
        const { slug, name, from, color } = draft;
        const input = { slug, name: name || undefined, from: from || undefined, color: colorOf(color) };
        await createEnvironment(app, c.get("caller"), project, check(newEnvironmentSchema, input));
        return { to: pathTo(SETTINGS, { project }), text: `The environment ${slug} is created.` };
      },
      (faults) => show(c, project, { draft: { ...draft, faults } }),
      { "environment-exists": "slug", "environment-not-found": "from" },
    );
  });
  post(`${ENVIRONMENT}/settings`, "admin", async (c, fields, { project, ...parameters }) => {
    const before = await getEnvironment(app, project, parameters.environment);
    const patch = patchIn(fields);
    const { environment } = await setEnvironment(app, c.get("caller"), project, before.slug, patch);
    return {
      to: pathTo(SETTINGS, { project }),
      text: describe(environment, patch),
      ...(patch.approvals === undefined && {
        undo: {
          to: `${environmentPath(project, before.slug)}/settings`,
          values:
            patch.locked === undefined ? { color: before.color ?? "" } : { locked: String(before.locked) },
        },
      }),
    };
  });
}

/** Faults at fields, whose messages do not repeat the name of the setting. */
function named(faults: Faults): Faults {
  const bare = (message: string) => sentence(message.replace(/^\w+: /, ""));
  return Object.fromEntries(Object.entries(faults).map(([field, message]) => [field, bare(message)]));
}

/** When a flag of an environment was last read, in milliseconds since 1970; null for never. */
export async function lastRead({ store }: App, project: string, environment: string): Promise<number | null> {
  let last: number | null = null;
  for (const at of (await store.flags.reads(project, environment)).values())
    if (last === null || at > last) last = at;
  return last;
}

function draftIn(fields: Fields) {
  const text = (name: string) => textOf(fields, name).trim();
  return { slug: text("slug"), name: text("name"), from: text("from"), color: text("color") };
}

/** Throws `invalid`. */
function colorOf(text: string): Environment["color"] {
  return text === "" ? null : oneOf("a color", COLORS, text);
}

/** Throws `invalid`. */
function patchIn(fields: Fields): Pick<EnvironmentPatch, "locked" | "color" | "approvals"> {
  if (fields.has("approvals")) {
    const approvals = textOf(fields, "approvals");
    return { approvals: check(environmentSchema.shape.approvals, Number(approvals || "x")) };
  }
  if (fields.has("color")) return { color: colorOf(textOf(fields, "color")) };
  const locked = textOf(fields, "locked");
  if (locked !== "true" && locked !== "false") throw new AppError("invalid", "locked is true or false");
  return { locked: locked === "true" };
}

function describe(
  { slug, color, locked, approvals }: Environment,
  patch: Pick<EnvironmentPatch, "locked" | "approvals">,
): string {
  if (patch.approvals !== undefined)
    return approvals === 0
      ? `Changes of ${slug} need no approval any more.`
      : `Changes of ${slug} need ${approvals === 1 ? "an approval" : `${approvals} approvals`} from now on.`;
  if (patch.locked === undefined) return `The color of ${slug} is ${color ?? "gray"}.`;
  return locked
    ? `${slug} is locked: its name confirms each change from now on.`
    : `${slug} is not locked any more.`;
}
