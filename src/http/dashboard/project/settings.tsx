import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { environments } from "../../../operations/environments.ts";
import { projects } from "../../../operations/projects.ts";
import type { Environment } from "../../../projects/environment.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import { getProject, usageOf } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, textOf, textOrNull } from "../fields.ts";
import { type Typed, submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { ENVIRONMENT, PROJECT, pathTo, environmentPath, projectPath } from "../paths.ts";
import { projectPatchIn, ProjectForm } from "./project-form.tsx";
import type { Project, Usage } from "../../../projects/project.ts";
import type { Page } from "../page.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { Card, Facts } from "../parts/card.tsx";
import { useMay } from "../view.ts";
import { settingFaults } from "../parts/kind-field.tsx";
import { Pager } from "../parts/list.tsx";
import { projectPage } from "./project-page.tsx";
import { EnvironmentCard, Key, NewEnvironment, type ShownEnvironment } from "./environment-cards.tsx";

/** Environments on one page. */
const PAGE = 25;

const SETTINGS = `${PROJECT}/settings` as const;

export function settingsRoutes({ app, get, post, act, perform }: Dashboard) {
  const show = async (c: DashboardContext, slug: string, typed: Pick<Settings, "typed" | "created"> = {}) => {
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
  post(SETTINGS, "admin", (c, fields, names) => {
    const { patch, faults: unread } = projectPatchIn(fields);
    const save = () => perform(c, projects.set, { names, body: patch });
    return submit(
      async () => {
        const isAltered = Object.keys(patch).length > 0 && (await save()).result === "updated";
        const text = isAltered ? `Saved the settings of ${names.project}` : "Nothing was changed";
        return { to: pathTo(SETTINGS, names), text };
      },
      (faults, error) =>
        show(c, names.project, {
          typed: { fields, faults: { ...settingFaults(fields, faults, error), ...unread } },
        }),
      { invalid: "" },
    );
  });
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
      again: ({ c, fields, names }, faults) => show(c, names.project, { created: { fields, faults } }),
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

type Settings = {
  project: Project;
  /** The environments of this page. */
  environments: ShownEnvironment[];
  /** The last environment of the page before. */
  after: string;
  more: boolean;
  usage: Usage | null;
  typed?: Typed;
  /** A new environment as it was typed. */
  created?: Typed;
};

function settingsPage(settings: Settings): Page {
  const { project, usage, environments, after, more, typed, created } = settings;
  const { slug } = project;
  const path = `${projectPath(slug)}/settings`;
  return projectPage({
    project: slug,
    tab: "settings",
    title: "Settings",
    heading: "Settings",
    ...((typed || created) && { topics: [] }),
    commands: [
      ["Shows keys and locks", "projects get", slug],
      ["Locks an environment", "environments lock", "production", { p: slug }],
      ["Renames the project", "projects set", slug, { name: project.name }],
      ["Saves flags and segments as a file", "export", { p: slug, o: `${slug}.yaml` }],
    ],
    content: (
      <>
        <Card id="project" title="Project">
          <Facts
            facts={[
              ["Slug", <code>{slug}</code>],
              ["Key, sent as x-project-key", <Key id="project-key" value={project.key} />],
            ]}
          />
          <ProjectForm project={project} usage={usage} typed={typed} />
        </Card>
        <section class="stack" aria-labelledby="environments">
          <h2 id="environments">Environments</h2>
          <ol class="items columns">
            {environments.map((each, index) => (
              <li class="card" id={`environment-${each.environment.slug}`}>
                <EnvironmentCard project={slug} index={index} {...each} />
              </li>
            ))}
          </ol>
          <Pager
            to={path}
            isLater={after !== ""}
            next={more && { after: environments.at(-1)!.environment.slug }}
          />
        </section>
        <NewEnvironment project={project} typed={created} />
        <Files project={project} />
        <Deletion project={project} />
      </>
    ),
  });
}

/** Files of flags and segments, out and in. */
function Files({ project: { slug, environments } }: { project: Project }) {
  const canImport = useMay("flags:write");
  return (
    <Card id="files" title="Files">
      <p>
        A document holds the flags and segments of every environment. A flagd file holds those of one, as
        flagd and OpenFeature's providers read it.
      </p>
      <ul class="buttons">
        <li>
          <ButtonLink to={`${projectPath(slug)}/document.json`} icon="download">
            Document
          </ButtonLink>
        </li>
        {environments.slice(0, 20).map((environment) => (
          <li>
            <ButtonLink to={`${environmentPath(slug, environment.slug)}/flagd.json`} icon="download">
              flagd, {environment.slug}
            </ButtonLink>
          </li>
        ))}
      </ul>
      {canImport && (
        <p>
          <ButtonLink to={`${projectPath(slug)}/import`}>Import a file…</ButtonLink>
        </p>
      )}
    </Card>
  );
}

function Deletion({ project: { slug } }: { project: Project }) {
  if (!useMay("admin", {})) return null;
  return (
    <Card id="delete-project" title="Delete the project">
      <p>Its environments, flags, segments, forms, submissions and history are deleted with it.</p>
      <p>
        <ButtonLink to={`${projectPath(slug)}/delete`} kind="danger" icon="trash">
          Delete {slug}…
        </ButtonLink>
      </p>
    </Card>
  );
}
