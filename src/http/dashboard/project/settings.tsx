import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { environments } from "../../../operations/environments.ts";
import { projects } from "../../../operations/projects.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject, usageOf } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { type Fields, textOf, textOrNull } from "../fields.ts";
import { type Faults, submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { ENVIRONMENT, PROJECT, pathTo } from "../paths.ts";
import { projectPatchIn } from "./project-form.tsx";
import { type Settings, settingsPage } from "./settings-page.tsx";

/** Environments on one page. */
const PAGE = 25;

const SETTINGS = `${PROJECT}/settings` as const;

export function settingsRoutes({ app, get, post, act, perform }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed: Pick<Settings, "typed" | "draft"> = {}) => {
    const project = await getProject(app, slug);
    const after = c.req.query("after") ?? "";
    const rest = project.environments.filter(({ slug }) => slug > after);
    const [usage, environments] = await Promise.all([
      usageOf(app, c.get("caller"), slug),
      Promise.all(
        rest.slice(0, PAGE).map(async (environment) => ({
          environment,
          readAt: await lastRead(app, slug, environment.slug),
        })),
      ),
    ]);
    return settingsPage({ project, usage, environments, after, more: rest.length > PAGE, ...typed });
  };

  get(SETTINGS, "flags:read", (c, { project }) => show(c, project));
  post(SETTINGS, "admin", (c, fields, names) =>
    submit(
      async () => {
        const body = projectPatchIn(fields);
        const isAltered =
          Object.keys(body).length > 0 &&
          (await perform(c, projects.set, { names, body })).result === "updated";
        const text = isAltered ? `Saved the settings of ${names.project}` : "Nothing was changed";
        return { to: pathTo(SETTINGS, names), text };
      },
      (faults) => show(c, names.project, { typed: { fields, faults: named(faults) } }),
      { "accent-pale": "accent", invalid: "mailFrom" },
    ),
  );
  post(
    `${PROJECT}/environments`,
    "admin",
    act({
      operation: environments.create,
      input: ({ fields, names }) => ({ names, body: newEnvironmentIn(fields) }),
      done: ({ slug }, { names }) => ({
        to: pathTo(SETTINGS, names),
        text: `The environment ${slug} is created.`,
      }),
      again: ({ c, fields, names }, faults) =>
        show(c, names.project, { draft: { ...newEnvironmentIn(fields), faults } }),
      at: { "environment-exists": "slug", "environment-not-found": "from" },
    }),
  );
  post(`${ENVIRONMENT}/settings`, "admin", async (c, fields, names) => {
    const before = await getEnvironment(app, names.project, names.environment);
    const [name, body] = changeIn(fields);
    const after = await perform(c, environments.set, { names, body });
    const undo = {
      to: pathTo(`${ENVIRONMENT}/settings`, names),
      values: { [name]: String(before[name] ?? "") },
    };
    return {
      to: pathTo(SETTINGS, { project: names.project }),
      text: describe(after, name),
      ...(name !== "approvals" && { undo }),
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

/** An environment to create, as it was typed; what is left out is undefined. */
function newEnvironmentIn(fields: Fields) {
  const text = (name: string) => textOf(fields, name).trim() || undefined;
  return { slug: text("slug") ?? "", name: text("name"), from: text("from"), color: text("color") };
}

type Changed = "approvals" | "color" | "locked";

/** The one setting of an environment that a form changes. */
function changeIn(fields: Fields): [name: Changed, patch: object] {
  if (fields.has("approvals"))
    return ["approvals", { approvals: Number(textOf(fields, "approvals") || "x") }];
  if (fields.has("color")) return ["color", { color: textOrNull(fields, "color") }];
  const locked = textOf(fields, "locked");
  if (locked !== "true" && locked !== "false") throw new AppError("invalid", "locked is true or false");
  return ["locked", { locked: locked === "true" }];
}

function describe({ slug, color, locked, approvals }: Environment, name: Changed): string {
  if (name === "color") return `The color of ${slug} is ${color ?? "gray"}.`;
  if (name === "approvals")
    return approvals === 0
      ? `Changes of ${slug} need no approval any more.`
      : `Changes of ${slug} need ${approvals === 1 ? "an approval" : `${approvals} approvals`} from now on.`;
  return locked
    ? `${slug} is locked: its name confirms each change from now on.`
    : `${slug} is not locked any more.`;
}
