import { Hono } from "hono/quick";
import * as z from "zod/mini";
import { AppError } from "../../../base/errors.ts";
import { newProjectSchema } from "../../../projects/project-schema.ts";
import { DEFAULT_ENVIRONMENTS, type Project } from "../../../projects/project.ts";
import { createProject } from "../../../projects/projects.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { sentence } from "../error-page.tsx";
import { textOf, textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, ButtonLink, Form } from "../parts/link.tsx";
import { projectPath } from "../parts/project-tabs.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { type Column, Empty, Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";

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

/** Environments that a row names. */
const SHOWN = 8;

/** What somebody typed to create a project, and what is wrong with it. */
type NewProjectDraft = {
  slug: string;
  name: string;
  environments: string;
  /** By field; what belongs to none is under `form`. */
  faults: Partial<Record<"slug" | "name" | "environments" | "form", string>>;
};

type Props = {
  projects: readonly Project[];
  after: string | null;
  next: string | null;
  draft: NewProjectDraft | null;
};

/** The projects by slug, and a form that creates one. */
function projectsPage(props: Props): Page {
  return {
    title: "Projects",
    section: "flags",
    topics: ["setup"],
    ...(props.draft && { status: 422 as const }),
    commands: [
      { label: "List the projects", text: "formflag projects list" },
      { label: "Create one with its environments", text: "formflag projects create shop" },
    ],
    content: <Projects {...props} />,
  };
}

const COLUMNS: Column<Project>[] = [
  {
    label: "Project",
    heading: true,
    cell: ({ slug, name }) => (
      <>
        <A to={projectPath(slug)}>{slug}</A>
        {name !== slug && (
          <p class="soft small">
            <Foreign text={name} />
          </p>
        )}
      </>
    ),
  },
  {
    label: "Environments",
    cell: ({ environments }) => (
      <span class="names">
        {environments.slice(0, SHOWN).map((environment) => (
          <EnvironmentName environment={environment} />
        ))}
        {environments.length > SHOWN && (
          <span class="soft">and {(environments.length - SHOWN).toLocaleString("en")} more</span>
        )}
      </span>
    ),
  },
];

function Projects({ projects, after, next, draft }: Props) {
  const mayCreate = useMay("admin");
  return (
    <div class="stack">
      {projects.length === 0 ? (
        <Empty title={after === null ? "There are no projects yet" : "There are no more projects"}>
          <p>
            A project holds the flags of one application, with a value in each of its environments.
            {!mayCreate && " An administrator creates it."}
          </p>
        </Empty>
      ) : (
        <Table caption="Projects" columns={COLUMNS} rows={projects} keyOf={({ slug }) => `project-${slug}`} />
      )}
      {(after !== null || next !== null) && (
        <nav class="pager" aria-label="Pages">
          <span>{after !== null && <ButtonLink to="/projects">First</ButtonLink>}</span>
          <span>
            {next !== null && (
              <ButtonLink to="/projects" query={{ after: next }}>
                Next
              </ButtonLink>
            )}
          </span>
        </nav>
      )}
      {mayCreate && (
        <NewProject draft={draft} isOpen={draft !== null || (projects.length === 0 && after === null)} />
      )}
    </div>
  );
}

function NewProject({ draft, isOpen }: { draft: NewProjectDraft | null; isOpen: boolean }) {
  const { slug = "", name = "", environments = DEFAULT_ENVIRONMENTS.join(", "), faults = {} } = draft ?? {};
  return (
    <details class="card" open={isOpen} id="new-project">
      <summary>Create a project</summary>
      <Form to="/projects" class="stack narrow" label="Create a project" id="new-project-form">
        <TextField
          name="slug"
          label="Name in paths and commands"
          hint="Letters, digits, dots, dashes and underscores, such as shop."
          value={slug}
          error={faults.slug ?? faults.form}
          maxlength={150}
          required
        />
        <TextField
          name="name"
          label="Name for people, if it is another"
          value={name}
          error={faults.name}
          maxlength={200}
        />
        <TextField
          name="environments"
          label="Environments"
          hint="Names with commas. More can be added later."
          value={environments}
          error={faults.environments}
        />
        <p>
          <Button kind="primary" icon="plus">
            Create project
          </Button>
        </p>
      </Form>
    </details>
  );
}
