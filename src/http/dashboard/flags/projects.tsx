import { newProjectSchema } from "../../../projects/project-schema.ts";
import { DEFAULT_ENVIRONMENTS, type Project } from "../../../projects/project.ts";
import { createProject, listProjects } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { List, SEARCHED } from "../parts/list.tsx";
import { projectPath } from "../paths.ts";
import { EnvironmentName } from "../parts/status.tsx";
import { type Faults, checkAll, submit } from "../parts/submit.ts";
import { Empty } from "../parts/card.tsx";
import { type Column } from "../parts/table.tsx";
import { Search } from "../parts/search.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";

/** Flags of a project that are counted. */
const COUNTED = 100;

/** Projects on one page. */
const PAGE = 50;

export function projectListRoutes({ app, get, post }: Dashboard) {
  const show = async (c: DashboardContext, draft: NewProjectDraft | null = null) => {
    const after = c.req.query("after") || null;
    const search = searchIn(c);
    const { items, more } = await listProjects(app, c.get("caller"), {
      limit: PAGE,
      after: after ?? undefined,
      search,
    });
    const counts = new Map<string, number>();
    for (const { slug } of items) {
      const heads = await app.store.flags.heads(slug, { limit: COUNTED + 1 });
      counts.set(slug, heads.items.filter(({ archived }) => !archived).length);
    }
    return projectsPage({
      projects: items,
      counts,
      search,
      after,
      next: more ? items.at(-1)!.slug : null,
      draft,
    });
  };

  get("/projects", "flags:read", (c) => show(c));
  post("/projects", "admin", async (c, fields) => {
    const typed = {
      slug: textOf(fields, "slug").trim(),
      name: textOf(fields, "name").trim(),
      environments: textOf(fields, "environments").trim(),
    };
    return submit(
      async () => {
        const environments = typed.environments.split(/[\s,]+/).filter(Boolean);
        const input = { slug: typed.slug, ...(typed.name !== "" && { name: typed.name }), environments };
        const { slug } = await createProject(app, c.get("caller"), checkAll(newProjectSchema, input));
        return { to: projectPath(slug), text: `The project ${slug} is ready.` };
      },
      (faults) => show(c, { ...typed, faults }),
      { "project-exists": "slug" },
    );
  });
}

/** Environments that a row names. */
const SHOWN = 8;

/** Form values of a new project, with their error. */
type NewProjectDraft = {
  slug: string;
  name: string;
  environments: string;
  faults: Faults;
};

type Props = {
  projects: readonly Project[];
  /** The flags of each project, by its slug. */
  counts: ReadonlyMap<string, number>;
  search: string;
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

const columnsOf = (counts: Props["counts"]): Column<Project>[] => [
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
    label: "Flags",
    numeric: true,
    cell: ({ slug }) => {
      const count = counts.get(slug) ?? 0;
      return count > COUNTED ? `${COUNTED}+` : count;
    },
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

function Projects({ projects, counts, search, after, next, draft }: Props) {
  const mayCreate = useMay("admin");
  return (
    <div class="stack">
      {(search !== "" || after !== null || projects.length >= SEARCHED) && (
        <Search to="/projects" search={search} label="Search projects" placeholder="Name" />
      )}
      <List
        empty={search === "" ? <NoProjects isLater={after !== null} /> : <NothingFound search={search} />}
        caption="Projects"
        columns={columnsOf(counts)}
        rows={projects}
        keyOf={({ slug }) => `project-${slug}`}
        pages={{
          to: "/projects",
          query: { q: search },
          isLater: after !== null,
          next: next !== null && { after: next },
        }}
      />
      {mayCreate && (
        <NewProject
          draft={draft}
          isOpen={draft !== null || (projects.length === 0 && after === null && search === "")}
        />
      )}
    </div>
  );
}

function NoProjects({ isLater }: { isLater: boolean }) {
  return (
    <Empty title={isLater ? "There are no more projects" : "There are no projects yet"}>
      <p>
        A project holds the flags of one application, with a value in each of its environments.
        {!useMay("admin") && " An administrator creates it."}
      </p>
    </Empty>
  );
}

function NothingFound({ search }: { search: string }) {
  return (
    <Empty title="No project matches">
      <p>
        No name holds <Foreign text={search} />. <A to="/projects">Show every project</A>
      </p>
    </Empty>
  );
}

function NewProject({ draft, isOpen }: { draft: NewProjectDraft | null; isOpen: boolean }) {
  const { slug = "", name = "", environments = DEFAULT_ENVIRONMENTS.join(", ") } = draft ?? {};
  const faults: Faults = draft?.faults ?? {};
  return (
    <details class="card" open={isOpen} id="new-project">
      <summary>Create a project</summary>
      <Form to="/projects" class="stack narrow" label="Create a project" id="new-project-form">
        <TextField
          name="slug"
          label="Name in paths and commands"
          hint="Letters, digits, dots, dashes and underscores, such as shop."
          value={slug}
          error={faults["slug"]}
          maxlength={150}
          required
        />
        <TextField
          name="name"
          label="Name for people, if it is another"
          value={name}
          error={faults["name"]}
          maxlength={200}
        />
        <TextField
          name="environments"
          label="Environments"
          hint="Names with commas. More can be added later."
          value={environments}
          error={faults["environments"]}
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
