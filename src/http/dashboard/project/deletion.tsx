import type { Child } from "../markup.ts";
import { requireScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { environments } from "../../../operations/environments.ts";
import { projects } from "../../../operations/projects.ts";
import { getEnvironment } from "../../../projects/environments.ts";
import type { Environment } from "../../../projects/environment.ts";
import type { Project } from "../../../projects/project.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import type { Command } from "../parts/commands.tsx";
import { Danger } from "../parts/danger.tsx";
import { EnvironmentName, Notice } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { ENVIRONMENT, PROJECT, environmentPath, projectPath } from "../paths.ts";
import { projectPage } from "./project-page.tsx";
import { lastRead } from "./settings.tsx";

const DELETE_ENVIRONMENT = `${ENVIRONMENT}/delete` as const;
const DELETE_PROJECT = `${PROJECT}/delete` as const;

/** Environments whose last read is looked up before a project is deleted. */
const SHOWN = 25;

export function deletionRoutes({ app, get, post, act, perform }: Dashboard) {
  get(DELETE_ENVIRONMENT, "admin", async (_, { project, environment }) =>
    environmentPage(app, project, await getEnvironment(app, project, environment)),
  );
  post(DELETE_ENVIRONMENT, "admin", async (c, fields, names) => {
    const { project } = names;
    const environment = await getEnvironment(app, project, names.environment);
    const typed = textOf(fields, "confirm").trim();
    if (typed !== environment.slug)
      return { ...(await environmentPage(app, project, environment, typed)), status: 400 };
    await perform(c, environments.delete, { names });
    const to = `${projectPath(project)}/settings`;
    return { to, text: `The environment ${environment.slug} is deleted.` };
  });
  const projectPageOf = async (c: DashboardContext, slug: string, typed?: string) => {
    requireScope(c.get("caller"), "admin");
    return projectDeletionPage(app, await getProject(app, slug), typed);
  };
  get(DELETE_PROJECT, "admin", (c, { project }) => projectPageOf(c, project));
  const deleteProject = act({
    operation: projects.delete,
    input: ({ names }: { names: { project: string } }) => ({ names }),
    done: (_, { names: { project } }) => ({ to: "/projects", text: `The project ${project} is deleted.` }),
    confirm: async ({ names: { project } }) => ({
      title: `Confirm the deletion of ${project}`,
      label: `Delete ${project}`,
      isDeletion: true,
      environments: (await getProject(app, project)).environments,
      change: <p>Every environment, flag, segment and form of the project is deleted.</p>,
      back: { to: `${projectPath(project)}/settings`, label: "Settings" },
    }),
  });
  post(DELETE_PROJECT, "admin", async (c, fields, names) => {
    const { slug } = await getProject(app, names.project);
    const typed = textOf(fields, "name").trim();
    if (typed !== slug) return { ...(await projectPageOf(c, slug, typed)), status: 400 };
    // The page says what its forms hold: the name confirms that too.
    const caller = c.get("caller");
    c.set("caller", { ...caller, hasConfirmed: (name) => name === slug || caller.hasConfirmed(name) });
    return deleteProject(c, fields, names);
  });
}

async function environmentPage(
  app: App,
  project: string,
  environment: Environment,
  typed?: string,
): Promise<Page> {
  const { slug } = environment;
  const readAt = await lastRead(app, project, slug);
  return deletionPage({
    project,
    title: `Delete the environment ${slug}`,
    to: `${environmentPath(project, slug)}/delete`,
    field: "confirm",
    name: slug,
    typed,
    command: ["Does the same", "environments delete", slug, { p: project }],
    children: (
      <>
        <p>
          <EnvironmentName environment={environment} /> is deleted with the values that flags have in it, its
          segments and its scheduled changes. Its key ends at once: readers get an error.
        </p>
        <Readers reads={[{ slug, readAt }]} />
      </>
    ),
  });
}

async function projectDeletionPage(app: App, project: Project, typed?: string): Promise<Page> {
  const { slug, environments } = project;
  const [counts, ...reads] = await Promise.all([
    app.store.submissions.counts(),
    ...environments
      .slice(0, SHOWN)
      .map(async (each) => ({ slug: each.slug, readAt: await lastRead(app, slug, each.slug) })),
  ]);
  const held = counts
    .filter(({ project }) => project === slug)
    .reduce((sum, { inbox, spam, archived, unconfirmed }) => sum + inbox + spam + archived + unconfirmed, 0);
  return deletionPage({
    project: slug,
    title: "Delete the project",
    to: `${projectPath(slug)}/delete`,
    field: "name",
    name: slug,
    typed,
    command: ["Does the same", "projects delete", slug],
    children: (
      <>
        <p>
          Its environments, flags, segments, scheduled changes, forms and history are deleted. Its keys end at
          once: readers get an error.
        </p>
        {held > 0 && (
          <Notice
            tone="bad"
            title={`Its forms hold ${held === 1 ? "1 submission" : `${held.toLocaleString("en")} submissions`}.`}
          >
            <p>All of it is deleted, with files. An export is the last chance to keep them.</p>
          </Notice>
        )}
        <Readers reads={reads} />
      </>
    ),
  });
}

/** Environments whose flags are read, which a deletion would affect. */
function Readers({ reads }: { reads: readonly { slug: string; readAt: number | null }[] }) {
  if (reads.every(({ readAt }) => readAt === null))
    return <p class="soft">None of its flags has been read.</p>;
  return (
    <Notice tone="warn" title="It is read">
      <ul>
        {reads.map(
          ({ slug, readAt }) =>
            readAt !== null && (
              <li>
                {slug}: <Time at={readAt} />
              </li>
            ),
        )}
      </ul>
    </Notice>
  );
}

type Deletion = {
  project: string;
  title: string;
  to: string;
  field: "confirm" | "name";
  /** Name that the user has to type. */
  name: string;
  typed: string | undefined;
  command: Command;
  children: Child;
};

function deletionPage({ project, title, to, field, name, typed, command, children }: Deletion): Page {
  const settings = `${projectPath(project)}/settings`;
  const fault = typed === undefined ? null : "That is not the name. Nothing was deleted.";
  return projectPage({
    project,
    tab: "settings",
    title,
    heading: `Delete ${name}`,
    back: { to: settings, label: "Settings" },
    topics: [],
    commands: [command],
    content: (
      <div class="stack narrow">
        {children}
        <Danger
          to={to}
          id="delete"
          {...(field === "confirm" && { why: null })}
          icon="trash"
          act={`Delete ${name}`}
          back={{ to: settings, label: "Keep it" }}
          words={[{ name: field, word: name, typed, fault }]}
        />
      </div>
    ),
  });
}
