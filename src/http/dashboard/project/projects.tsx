import { projects as operations } from "../../../operations/projects.ts";
import { DEFAULT_ENVIRONMENTS, type Project } from "../../../projects/project.ts";
import { listProjects } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { searchIn, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { TextField } from "../parts/field.tsx";
import { A, Button, Form } from "../parts/link.tsx";
import { List, SEARCHED, Search } from "../parts/list.tsx";
import { EnvironmentName } from "../parts/status.tsx";
import { type Typed, typedAt } from "../parts/submit.ts";
import type { Column } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { projectPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { useMay } from "../view.ts";

/** Flags of a project that are counted. */
const COUNTED = 100;

/** Projects on one page. */
const PAGE = 50;

export function projectListRoutes({ app, act, get, post }: Dashboard) {
  const countOf = async (slug: string): Promise<number> => {
    const { items } = await app.store.flags.heads(slug, { limit: COUNTED + 1 });
    return items.filter(({ archived }) => !archived).length;
  };
  const show = async (c: DashboardContext, typed: Typed | null = null) => {
    const after = c.req.query("after") || null;
    const search = searchIn(c);
    const query = { limit: PAGE, after: after ?? undefined, search };
    const { items, more } = await listProjects(app, c.get("caller"), query);
    const counts = await Promise.all(items.map(async ({ slug }) => [slug, await countOf(slug)] as const));
    return projectsPage({
      projects: items,
      counts: new Map(counts),
      search,
      after,
      next: more ? items.at(-1)!.slug : null,
      typed,
    });
  };

  get("/projects", "flags:read", (c) => show(c));
  post(
    "/projects",
    "admin",
    act({
      operation: operations.create,
      input({ fields }) {
        const [slug, name, environments] = ["slug", "name", "environments"].map((each) =>
          textOf(fields, each).trim(),
        );
        const names = environments!.split(/[\s,]+/).filter(Boolean);
        return { body: { slug, ...(name !== "" && { name }), environments: names } };
      },
      done: ({ slug }) => ({ to: projectPath(slug), text: `The project ${slug} is ready.` }),
      again: ({ c, fields }, faults) => show(c, { fields, faults }),
      at: { "project-exists": "slug" },
    }),
  );
}

/** Environments that a row names. */
const SHOWN = 8;

type Props = {
  projects: readonly Project[];
  /** The flags of each project, by its slug. */
  counts: ReadonlyMap<string, number>;
  search: string;
  after: string | null;
  next: string | null;
  typed: Typed | null;
};

/** The projects by slug, and a form that creates one. */
function projectsPage(props: Props): Page {
  return {
    title: "Projects",
    section: "flags",
    topics: ["setup"],
    ...(props.typed && { status: 422 as const }),
    commands: [
      ["List the projects", "projects list"],
      ["Create one with its environments", "projects create", "shop"],
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

function Projects({ projects, counts, search, after, next, typed }: Props) {
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
          typed={typed}
          isOpen={typed !== null || (projects.length === 0 && after === null && search === "")}
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

function NewProject({ typed, isOpen }: { typed: Typed | null; isOpen: boolean }) {
  return (
    <details class="card" open={isOpen} id="new-project">
      <summary>Create a project</summary>
      <Form to="/projects" class="stack narrow" label="Create a project" id="new-project-form">
        <TextField
          {...typedAt(typed, "slug")}
          label="Name in paths and commands"
          hint="Letters, digits, dots, dashes and underscores, such as shop."
          maxlength={150}
          required
        />
        <TextField {...typedAt(typed, "name")} label="Name for people, if it is another" maxlength={200} />
        <TextField
          {...typedAt(typed, "environments", DEFAULT_ENVIRONMENTS.join(", "))}
          label="Environments"
          hint="Names with commas. More can be added later."
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
